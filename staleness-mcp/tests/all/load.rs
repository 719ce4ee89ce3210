//! A client that asks and does not read.

use serde_json::{Value, json};
use staleness_mcp::{Options, Server, serve};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

/// Room of each direction of a stream, in bytes.
const ROOM: usize = 4_096;

/// A client that asked until the server read no further, and has read no answer since the first.
struct Unread {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    /// The number of requests that were sent whole.
    asked: u64,
    /// The part of a request that the server has not read.
    rest: String,
    serving: JoinHandle<Result<(), String>>,
    _folder: TempDir,
}

async fn unread() -> Unread {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        store: Some("memory:".into()),
        project: Some(folder.path().to_path_buf()),
        home: Some(folder.path().to_path_buf()),
        ..Options::default()
    };
    let server = Server::new(options).unwrap();
    let (ours, theirs) = tokio::io::duplex(ROOM);
    let (read, write) = tokio::io::split(theirs);
    let serving = tokio::spawn(async move {
        serve(&server, read, write).await.map_err(|error| error.to_string())
    });
    let (read, mut write) = tokio::io::split(ours);
    let mut lines = BufReader::new(read).lines();
    let hello = json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" },
    } });
    write.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
    lines.next_line().await.unwrap().unwrap();
    write
        .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
        .await
        .unwrap();
    let mut asked = 0_u64;
    let patience = std::time::Duration::from_secs(1);
    let rest = loop {
        let line = format!("{}\n", json!({ "jsonrpc": "2.0", "id": asked, "method": "ping" }));
        let mut sent = 0;
        let sending = async {
            while sent < line.len() {
                sent += write.write(&line.as_bytes()[sent..]).await.unwrap();
            }
        };
        if tokio::time::timeout(patience, sending).await.is_err() {
            break line[sent..].to_owned();
        }
        asked += 1;
        assert!(asked < 1_000, "it takes in whatever comes");
    };
    Unread { lines, write, asked, rest, serving, _folder: folder }
}

// Time passes while nobody has anything to do.
#[tokio::test(start_paused = true)]
async fn b6_a_server_reads_no_further_while_its_answers_are_unread() {
    let Unread { mut lines, mut write, asked, rest, serving, _folder } = unread().await;
    // Once somebody reads, all are answered, and so is what comes then.
    let (mut answered, mut rest) = (0, Some(rest));
    while answered <= asked {
        let line = lines.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer["error"].is_null(), "{answer}");
        answered += 1;
        if answered == 100 {
            write.write_all(rest.take().unwrap().as_bytes()).await.unwrap();
        }
    }
    write.shutdown().await.unwrap();
    serving.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_ends_when_nobody_reads_its_answers_for_ten_seconds() {
    let client = unread().await;
    let asked = tokio::time::Instant::now();
    client.serving.await.unwrap().unwrap();
    assert!(asked.elapsed() < std::time::Duration::from_secs(21), "{:?}", asked.elapsed());
}
