//! The server over streams of our own: one client after another, two at once, and what they are told unasked.

use serde_json::{Value, json};
use staleness::Wait;
use staleness_mcp::{Options, Server, serve};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

pub(crate) struct Client {
    write: WriteHalf<DuplexStream>,
    read: BufReader<ReadHalf<DuplexStream>>,
    served: JoinHandle<()>,
}

impl Client {
    pub(crate) async fn new(server: &Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = server.clone();
        let served = tokio::spawn(async move {
            let (read, write) = tokio::io::split(theirs);
            serve(&server, read, write).await.unwrap();
        });
        let (read, write) = tokio::io::split(ours);
        let mut client = Self { write, read: BufReader::new(read), served };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        client.ask("initialize", hello).await;
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).await;
        self.receive().await
    }

    async fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.read.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": name, "arguments": arguments })).await;
        answer["result"]["structuredContent"].clone()
    }

    pub(crate) async fn leave(mut self) {
        self.write.shutdown().await.unwrap();
        self.served.await.unwrap();
    }
}

/// A server over a store of its own.
fn server(folder: &tempfile::TempDir) -> Server {
    server_over(folder, &store(folder, "sqlite"))
}

fn store(folder: &tempfile::TempDir, scheme: &str) -> String {
    format!("{scheme}:{}", folder.path().join("registry").display())
}

fn server_over(folder: &tempfile::TempDir, store: &str) -> Server {
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    Server::new(Options {
        store: Some(store.to_owned()),
        project: Some(folder.path().to_path_buf()),
        home: Some(folder.path().to_path_buf()),
        ..Options::default()
    })
    .unwrap()
}

#[tokio::test]
async fn a_server_takes_one_client_after_another() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(&folder);
    for at in 0..3 {
        let mut client = Client::new(&server).await;
        let told = client.call("resume_session", json!({})).await;
        assert_eq!(told["source"], if at == 0 { "digest" } else { "cursor" }, "{told}");
        let checked = client.call("check_documents", json!({})).await;
        assert!(checked["counts"].is_object(), "the work of a new client is not ended: {checked}");
        client.leave().await;
    }
}

#[tokio::test]
async fn one_client_that_leaves_ends_nothing_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(&folder);
    let (one, mut two) = (Client::new(&server).await, Client::new(&server).await);
    one.leave().await;
    let checked = two.call("check_documents", json!({})).await;
    assert!(checked["counts"].is_object(), "{checked}");
    // Both used the same numbers for their requests.
    assert_eq!(two.call("resume_session", json!({})).await["source"], "digest");
    two.leave().await;
}

/// Another process: its tool fails in a project until it is demoted.
fn fail(store: &str, project: &std::path::Path, tool: &str) {
    let registry = staleness::open(store).unwrap();
    for turn in 0..3 {
        let used = staleness::registry::Use::new(
            staleness::ids::OpId::new(format!("{tool}-{turn}")).unwrap(),
            staleness::ids::ToolName::new(tool).unwrap(),
            staleness::outcome::OutcomeKind::Failure,
            staleness::clock::now(),
            staleness::scan::ProjectRef::of_root(project.to_str().unwrap()),
        );
        registry.tools().record(used).wait().unwrap();
    }
}

/// Reads the overview, as a client does when it is told of a change.
async fn overview(client: &mut Client) -> String {
    let answer = client.ask("resources/read", json!({ "uri": "staleness://overview" })).await;
    answer["result"]["contents"][0]["text"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn who_resumes_from_before_what_is_kept_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let url = store(&folder, "sqlite");
    let server = server_over(&folder, &url);
    let root = folder.path().canonicalize().unwrap();
    let registry = staleness::open(&url).unwrap();
    for turn in 0..16 {
        let used = staleness::registry::Use::new(
            staleness::ids::OpId::new(turn.to_string()).unwrap(),
            staleness::ids::ToolName::new("lint").unwrap(),
            match turn % 4 {
                3 => staleness::outcome::OutcomeKind::Success,
                _ => staleness::outcome::OutcomeKind::Failure,
            },
            staleness::Timestamp::from_millis(1_717_200_000_000 + turn),
            staleness::scan::ProjectRef::of_root(root.to_str().unwrap()),
        );
        registry.tools().record(used).wait().unwrap();
    }
    let pruned = registry
        .admin()
        .prune_journal(staleness::clock::now(), false, &mut || true)
        .wait()
        .unwrap();
    assert!(pruned > 0);
    let mut client = Client::new(&server).await;
    let call = json!({ "name": "resume_session", "arguments": {} });
    let told = client.ask("tools/call", call).await["result"].clone();
    let until = told["structuredContent"]["pruned_until"].as_str().unwrap_or_default();
    assert!(until.starts_with("2024-06-01T"), "{told}");
    let text = told["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("older changes were pruned"), "{text}");
    let again = client.call("resume_session", json!({})).await;
    assert!(again.get("pruned_until").is_none(), "{again}");
    client.leave().await;
}

// Time passes while nobody has anything to do.
#[tokio::test(start_paused = true)]
async fn a_client_that_subscribed_is_told_when_others_change_what_it_would_read() {
    for scheme in ["sqlite", if cfg!(feature = "redb") { "redb" } else { "sqlite" }] {
        let folder = tempfile::tempdir().unwrap();
        let url = store(&folder, scheme);
        let server = server_over(&folder, &url);
        let project = folder.path().canonicalize().unwrap();
        let mut client = Client::new(&server).await;
        let about = json!({ "uri": "staleness://overview" });
        for _ in 0..2 {
            let subscribed = client.ask("resources/subscribe", about.clone()).await;
            assert_eq!(subscribed["result"], json!({}), "{subscribed}");
        }
        // The store is not there yet.
        fail(&url, &project, "/lint");
        let told = client.receive().await;
        assert_eq!(told["method"], "notifications/resources/updated", "{told}");
        assert_eq!(told["params"], about, "{told}");
        assert!(overview(&mut client).await.contains("lint"));
        // What another project has is not in it: only the next change is told, and once.
        fail(&url, std::path::Path::new("/elsewhere"), "/other");
        fail(&url, &project, "/build");
        assert_eq!(client.receive().await, told);
        assert!(overview(&mut client).await.contains("build"));
        let ended = client.ask("resources/unsubscribe", about.clone()).await;
        assert_eq!(ended["result"], json!({}), "{ended}");
        // Who subscribes later looks later: once it was told, the other one would have been.
        let mut later = Client::new(&server).await;
        later.ask("resources/subscribe", about.clone()).await;
        fail(&url, &project, "/test");
        assert_eq!(later.receive().await, told);
        assert!(overview(&mut client).await.contains("test"));
        later.leave().await;
        client.leave().await;
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_changes_in_the_registry_can_be_subscribed_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::new(&server(&folder)).await;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        for (uri, why) in
            [("staleness://policy", "read it again"), ("staleness://x", "unknown resource")]
        {
            let refused = client.ask(method, json!({ "uri": uri })).await;
            let message = refused["error"]["message"].as_str().unwrap_or_default();
            assert!(message.contains(why), "{refused}");
        }
    }
    client.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_listens_is_told_as_it_begins_and_of_each_change() {
    let folder = tempfile::tempdir().unwrap();
    let url = store(&folder, "sqlite");
    let server = server_over(&folder, &url);
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let serving = {
        let server = server.clone();
        tokio::spawn(async move {
            let (read, write) = tokio::io::split(theirs);
            serve(&server, read, write).await.unwrap();
        })
    };
    let (read, write) = tokio::io::split(ours);
    let mut client = Client { write, read: BufReader::new(read), served: serving };
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let wanted = ["staleness://overview", "staleness://policy"];
    let acknowledged = client
        .ask(
            "subscriptions/listen",
            json!({ "notifications": { "resourceSubscriptions": wanted }, "_meta": meta }),
        )
        .await;
    let accepted = &acknowledged["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(*accepted, json!(["staleness://overview"]), "{acknowledged}");
    let first = client.receive().await;
    assert_eq!(first["params"]["uri"], "staleness://overview", "{first}");
    fail(&url, &folder.path().canonicalize().unwrap(), "/lint");
    assert_eq!(client.receive().await, first);
    client.leave().await;
}
