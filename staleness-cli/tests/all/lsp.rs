//! The language server, as an editor speaks to it.

use std::io::{BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};

use crate::check_blind::shallow;
use crate::check_fix::renamed;
use crate::common::Sandbox;

struct Editor {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    asked: i32,
}

impl Editor {
    fn open(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command();
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let mut editor = Self { server, to, from, asked: 0 };
        let root = format!("file://{}", sandbox.project.display());
        let told =
            editor.ask("initialize", json!({ "capabilities": {}, "rootUri": root })).unwrap();
        assert_eq!(told["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: Message) {
        message.write(self.to.as_mut().unwrap()).unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(Notification::new(method.into(), params).into());
    }

    fn hear(&mut self) -> Message {
        Message::read(&mut self.from).unwrap().unwrap()
    }

    /// Returns the result, or the code of the error.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, i32> {
        self.asked += 1;
        self.send(Request::new(self.asked.into(), method.into(), params).into());
        let Message::Response(answer) = self.hear() else { panic!("no answer") };
        assert_eq!(answer.id, self.asked.into());
        answer.response_result.map_err(|error| error.code)
    }

    /// Sends a notification about a document, and returns the findings that are shown then.
    fn shown(&mut self, event: &str, document: Value) -> Vec<Value> {
        let uri = document["uri"].clone();
        self.tell(&format!("textDocument/{event}"), json!({ "textDocument": document }));
        let Message::Notification(told) = self.hear() else { panic!("no findings") };
        assert_eq!((&*told.method, &told.params["uri"]), ("textDocument/publishDiagnostics", &uri));
        told.params["diagnostics"].as_array().unwrap().clone()
    }

    fn close(mut self) -> i32 {
        assert_eq!(self.ask("shutdown", json!(null)), Ok(json!(null)));
        self.tell("exit", json!(null));
        self.server.wait().unwrap().code().unwrap()
    }
}

#[test]
fn an_editor_shows_what_is_stale_why_and_how_to_settle_it() {
    let sandbox = Sandbox::rotted();
    let file = sandbox.project.join("AGENTS.md");
    let uri = format!("file://{}", file.display());
    let mut editor = Editor::open(&sandbox);
    let text = std::fs::read_to_string(&file).unwrap();
    let unsaved = editor.shown("didOpen", json!({ "uri": uri, "version": 3, "text": "# Other" }));
    assert!(unsaved.is_empty(), "{unsaved:?}");
    let found = editor.shown("didOpen", json!({ "uri": uri, "version": 4, "text": text }));
    let old = found.iter().find(|it| it["message"].as_str().unwrap().contains(" is now ")).unwrap();
    assert_eq!((&old["source"], &old["severity"]), (&json!("staleness"), &json!(2)), "{old}");
    let line = text.lines().nth(old["range"]["start"]["line"].as_u64().unwrap() as usize).unwrap();
    let place = |at: &str| old["range"][at]["character"].as_u64().unwrap() as usize;
    assert!(line[place("start")..place("end")].contains('/'), "{line}: {old}");

    let document = json!({ "uri": uri });
    let at = json!({ "textDocument": document, "position": old["range"]["start"] });
    let hover = editor.ask("textDocument/hover", at).unwrap();
    assert_eq!(
        (&hover["contents"]["kind"], &hover["contents"]["value"]),
        (&json!("plaintext"), &old["message"])
    );
    let nowhere = json!({ "textDocument": document, "position": { "line": 4000, "character": 0 } });
    assert_eq!(editor.ask("textDocument/hover", nowhere), Ok(json!(null)));

    let asked = json!({ "textDocument": document, "range": old["range"], "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", asked.clone()).unwrap();
    let change = |at: usize| &actions[at]["edit"]["documentChanges"][0];
    assert_eq!(
        (actions[0]["isPreferred"].clone(), &change(0)["textDocument"]["version"]),
        (json!(true), &json!(4))
    );
    let comment = &change(1)["edits"][0];
    let end = json!({ "line": old["range"]["start"]["line"], "character": line.chars().count() });
    assert_eq!((&comment["range"]["start"], &comment["range"]["end"]), (&end, &end));
    let verified = format!("{line}{}", comment["newText"].as_str().unwrap());
    std::fs::write(&file, text.replace(line, &verified)).unwrap();
    let left = editor.shown("didSave", document.clone());
    assert_eq!(left.len(), found.len() - 1, "the comment is about its paragraph alone: {left:?}");
    std::fs::write(&file, &text).unwrap();
    let edit = &change(0)["edits"][0];
    let new = edit["newText"].as_str().unwrap();
    let column = |at: &str| edit["range"][at]["character"].as_u64().unwrap() as usize;
    let mended = format!("{}{new}{}", &line[..column("start")], &line[column("end")..]);
    std::fs::write(&file, text.replace(line, &mended)).unwrap();

    // Places of a text that is not on disk are unknown until it is saved.
    let changed = json!({ "textDocument": { "uri": uri, "version": 5 }, "contentChanges": [] });
    editor.tell("textDocument/didChange", changed);
    assert_eq!(editor.ask("textDocument/codeAction", asked), Ok(json!([])));
    let left = editor.shown("didSave", document.clone());
    assert_eq!(left.len(), found.len() - 1, "{left:?}");
    assert!(editor.shown("didClose", document).is_empty());
    assert_eq!(editor.close(), 0);
}

#[test]
fn findings_and_fixes_are_about_the_text_in_the_editor() {
    let sandbox = renamed(&[("a.md", b"See `src/router.rs` first.\n")]);
    let uri = format!("file://{}/a.md", sandbox.project.display());
    let mut editor = Editor::open(&sandbox);
    let mut version = 0;
    let mut change = |editor: &mut Editor, text: &str| {
        version += 1;
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        editor.tell("textDocument/didChange", params);
    };
    let open = "# New\n\nSee `src/router.rs` first.\n\n[Here](#new) and [there](#old).\n";
    let found = editor.shown("didOpen", json!({ "uri": uri, "version": 0, "text": open }));
    let lines = |found: &[Value]| -> Vec<Value> {
        found.iter().map(|it| it["range"]["start"]["line"].clone()).collect()
    };
    assert_eq!(lines(&found), [2], "{found:?}");
    for (before, line) in [("", 0), ("# More\n\n😀\n\n", 4)] {
        change(&mut editor, &format!("{before}See `src/router.rs` first.\n"));
        let place = json!({ "line": line, "character": 6 });
        let asked = json!({
            "textDocument": { "uri": uri },
            "range": { "start": place, "end": place },
            "context": { "diagnostics": [] },
        });
        editor.send(Request::new(7.into(), "textDocument/codeAction".into(), asked).into());
        let Message::Notification(told) = editor.hear() else { panic!("no findings") };
        assert_eq!(lines(told.params["diagnostics"].as_array().unwrap()), [line]);
        let Message::Response(answer) = editor.hear() else { panic!("no answer") };
        let edit = &answer.response_result.unwrap()[0]["edit"]["documentChanges"][0]["edits"][0];
        assert_eq!(
            (&edit["range"]["start"], &edit["newText"]),
            (&json!({ "line": line, "character": 5 }), &json!("src/net/routing.rs"))
        );
    }
    change(&mut editor, "Nothing is named.\n");
    let Message::Notification(told) = editor.hear() else { panic!("no findings") };
    assert_eq!(told.params["diagnostics"], json!([]), "without a question, after a pause");
    assert_eq!(editor.shown("didSave", json!({ "uri": uri })).len(), 1, "the file is as it was");
    assert_eq!(editor.close(), 0);
}

#[test]
fn an_editor_that_sends_nonsense_gets_an_error_and_goes_on() {
    let sandbox = Sandbox::rotted();
    let mut editor = Editor::open(&sandbox);
    let document = json!({ "uri": "file:///no/such.md" });
    editor.to.as_mut().unwrap().write_all(b"Content-Length: 3\r\nX: y\r\n\r\n{a}").unwrap();
    let broken = json!({ "textDocument": document, "position": { "line": -1, "character": "x" } });
    assert_eq!(editor.ask("textDocument/hover", broken), Err(-32602));
    assert_eq!(editor.ask("textDocument/codeAction", json!(7)), Err(-32602));
    assert_eq!(editor.ask("textDocument/rename", json!({ "textDocument": document })), Err(-32601));
    assert_eq!(editor.ask("workspace/symbol", json!({})), Err(-32601));
    editor.tell("textDocument/didOpen", json!([]));
    for uri in [
        "file:///no/such.md",
        "untitled:1",
        "file:///%ff",
        "https://h/a.md",
        "file://",
        "file://é:",
    ] {
        assert!(editor.shown("didOpen", json!({ "uri": uri })).is_empty(), "{uri}");
    }
    assert_eq!(editor.close(), 0);
}

#[test]
fn an_editor_is_told_once_that_not_everything_was_seen() {
    let sandbox = shallow();
    let document = json!({ "uri": format!("file://{}/AGENTS.md", sandbox.project.display()) });
    let mut editor = Editor::open(&sandbox);
    editor.tell("textDocument/didOpen", json!({ "textDocument": document }));
    let Message::Notification(told) = editor.hear() else { panic!("no message") };
    let message = told.params["message"].as_str().unwrap();
    assert!(
        told.method == "window/showMessage" && message.contains("`git fetch --unshallow`"),
        "{told:?}"
    );
    let Message::Notification(shown) = editor.hear() else { panic!("no findings") };
    assert_eq!(shown.method, "textDocument/publishDiagnostics");
    assert!(editor.shown("didSave", document).is_empty(), "the message is not repeated");
    assert_eq!(editor.close(), 0);
}

#[test]
fn the_server_ends_with_its_editor() {
    let sandbox = Sandbox::new();
    let mut editor = Editor::open(&sandbox);
    drop(editor.to.take());
    assert!(editor.server.wait().unwrap().success());
    for end in ["nonsense\r\n\r\n", "Content-Length: 9999999999999999\r\n\r\n{}"] {
        let mut editor = Editor::open(&sandbox);
        editor.to.as_mut().unwrap().write_all(end.as_bytes()).unwrap();
        assert_eq!(editor.server.wait().unwrap().code(), Some(3), "{end}");
    }
    let mut command = sandbox.command();
    let mut child =
        command.arg("lsp").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"nonsense\r\n\r\n").unwrap();
    assert_ne!(child.wait().unwrap().code(), Some(0));
}

/// Bug: an editor that takes off a byte-order mark was shown nothing.
#[test]
fn an_editor_may_take_off_the_byte_order_mark() {
    let bare = "See `src/router.rs` first.\n";
    let marked = format!("\u{feff}{bare}");
    let sandbox = renamed(&[("mark.md", marked.as_bytes())]);
    let uri = format!("file://{}/mark.md", sandbox.project.display());
    let mut editor = Editor::open(&sandbox);
    for (text, start) in [(bare, 5), (&marked, 6)] {
        let open = json!({ "uri": uri, "version": 1, "text": text });
        let found = editor.shown("didOpen", open);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0]["range"]["start"], json!({ "line": 0, "character": start }));
        let saved = editor.shown("didSave", json!({ "uri": uri }));
        assert_eq!(saved, found);
    }
    assert_eq!(editor.close(), 0);
}
