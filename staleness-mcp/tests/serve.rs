//! The server over streams of our own: one client after another, and two at once.

use serde_json::{Value, json};
use staleness_mcp::{Options, Server, serve};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

struct Client {
    write: WriteHalf<DuplexStream>,
    read: BufReader<ReadHalf<DuplexStream>>,
    served: JoinHandle<()>,
}

impl Client {
    async fn new(server: &Server) -> Self {
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

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).await;
        let mut line = String::new();
        self.read.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": name, "arguments": arguments })).await;
        answer["result"]["structuredContent"].clone()
    }

    async fn leave(mut self) {
        self.write.shutdown().await.unwrap();
        self.served.await.unwrap();
    }
}

/// A server over a store of its own.
fn server(folder: &tempfile::TempDir) -> Server {
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    Server::new(Options {
        store: Some(format!("sqlite:{}", folder.path().join("registry.db").display())),
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
