//! A client that asks and does not read.

use serde_json::{Value, json};
use staleness_mcp::{Options, Server, serve};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Room of each direction of a stream, in bytes.
const ROOM: usize = 4_096;

// Time passes while nobody has anything to do.
#[tokio::test(start_paused = true)]
async fn a_server_reads_no_further_while_its_answers_are_unread() {
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
    let serving = tokio::spawn(async move { serve(&server, read, write).await });
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
    let patience = std::time::Duration::from_secs(3_600);
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
