//! `lsp`: a language server that checks a document when an editor opens or saves it. Protocol:
//! <https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/>.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use staleness::knowledge::Evidence;
use staleness::verdict::Level;
use staleness_docs::Edit;
use staleness_service::findings::Finding;
use staleness_service::fixes::Fixes;

use super::{Checked, check};
use crate::args::{CheckArgs, Global};
use crate::error::{CliError, ErrorKind};
use crate::output::{Output, escape};
use crate::settings::Settings;

/// The largest document that is shown in an editor, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// A place in a document, in lines and UTF-16 units from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Position {
    line: u32,
    character: u32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Span {
    start: Position,
    end: Position,
}

impl Span {
    fn json(self) -> Value {
        let at = |at: Position| json!({ "line": at.line, "character": at.character });
        json!({ "start": at(self.start), "end": at(self.end) })
    }

    fn meets(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    text_document: Identifier,
    position: Option<Position>,
    range: Option<Span>,
}

#[derive(Deserialize)]
struct Identifier {
    uri: String,
    version: Option<i64>,
}

/// A finding as an editor shows it.
struct Shown {
    span: Span,
    level: Level,
    /// The kind of the strongest signal.
    code: &'static str,
    reasons: String,
    /// The first line of the paragraph, from 0.
    line: u32,
    /// Replacements of the old names, each with its place.
    edits: Vec<(Span, String)>,
}

#[derive(Default)]
struct Document {
    /// The version of the text that was checked; the editor refuses an edit of any other.
    version: Option<i64>,
    shown: Vec<Shown>,
}

struct Server<'a> {
    global: &'a Global,
    out: &'a Output,
    connection: Connection,
    root: Option<PathBuf>,
    /// Open documents by URI.
    documents: HashMap<String, Document>,
}

/// Serves an editor on stdin and stdout until it says good-bye or goes away.
pub(crate) fn run(global: &Global, out: &Output) -> Result<(), CliError> {
    let (connection, threads) = Connection::stdio();
    let broken = |error: &dyn std::fmt::Display| {
        CliError::new(ErrorKind::Io, format!("the language client: {error}"))
    };
    let capabilities = json!({
        // Only versions are of interest: what is checked is the file on disk.
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
    });
    let asked = connection.initialize(capabilities).map_err(|error| broken(&error))?;
    let folders = asked.pointer("/workspaceFolders/0/uri").or_else(|| asked.get("rootUri"));
    let root = folders.and_then(Value::as_str).and_then(path_of);
    let mut server = Server { global, out, connection, root, documents: HashMap::new() };
    let served = server.serve();
    // The threads end when the connection is gone.
    drop(server);
    served.map_err(|error| broken(&error))?;
    threads.join().map_err(|error| broken(&error))
}

impl Server<'_> {
    fn serve(&mut self) -> Result<(), String> {
        while let Ok(message) = self.connection.receiver.recv() {
            match message {
                Message::Request(request) => {
                    let ends = self.connection.handle_shutdown(&request);
                    if ends.map_err(|error| error.to_string())? {
                        return Ok(());
                    }
                    let answer = self.answer(request);
                    self.send(Message::Response(answer))?;
                }
                Message::Notification(told) => self.hear(&told)?,
                Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn send(&self, message: Message) -> Result<(), String> {
        self.connection.sender.send(message).map_err(|error| error.to_string())
    }

    fn hear(&mut self, told: &Notification) -> Result<(), String> {
        let Ok(Params { text_document: Identifier { uri, version }, .. }) =
            Params::deserialize(&told.params)
        else {
            return Ok(());
        };
        match &*told.method {
            "textDocument/didOpen" | "textDocument/didSave" => {
                let shown = self.check(&uri);
                let document = self.documents.entry(uri.clone()).or_default();
                document.version = version.or(document.version);
                document.shown = shown;
                self.publish(&uri)
            }
            "textDocument/didChange" => {
                if let Some(document) = self.documents.get_mut(&uri) {
                    document.version = version;
                    // The places are those of the text on disk.
                    document.shown.clear();
                }
                Ok(())
            }
            "textDocument/didClose" => {
                self.documents.remove(&uri);
                self.publish(&uri)
            }
            _ => Ok(()),
        }
    }

    fn publish(&self, uri: &str) -> Result<(), String> {
        let shown = self.documents.get(uri).map_or(&[][..], |document| &document.shown);
        let diagnostics: Vec<Value> = shown.iter().map(diagnostic).collect();
        let params = json!({ "uri": uri, "diagnostics": diagnostics });
        self.send(Notification::new("textDocument/publishDiagnostics".into(), params).into())
    }

    /// Checks a document on disk. What cannot be checked has no findings.
    fn check(&self, uri: &str) -> Vec<Shown> {
        let found = path_of(uri).ok_or_else(|| CliError::invalid("no file")).and_then(|path| {
            let settings = Settings::new(self.global, self.root.as_deref(), true)?;
            let args = CheckArgs { paths: vec![path.clone()], ..CheckArgs::default() };
            let checked = check(&settings, &args, None, self.out)?;
            Ok(shown(&settings, &checked, &text_of(&path)))
        });
        found.unwrap_or_else(|error: CliError| {
            self.out.note(&error.render(false));
            Vec::new()
        })
    }

    fn answer(&self, request: Request) -> Response {
        let params = match Params::deserialize(&request.params) {
            Ok(params) => params,
            Err(_)
                if !["textDocument/hover", "textDocument/codeAction"]
                    .contains(&&*request.method) =>
            {
                let code = ErrorCode::MethodNotFound as i32;
                return Response::new_err(
                    request.id,
                    code,
                    format!("no method {}", request.method),
                );
            }
            Err(error) => {
                let code = ErrorCode::InvalidParams as i32;
                return Response::new_err(request.id, code, error.to_string());
            }
        };
        let uri = &params.text_document.uri;
        let none = Document::default();
        let document = self.documents.get(uri).unwrap_or(&none);
        let at = params.position.map(|at| Span { start: at, end: at }).or(params.range);
        let met = document.shown.iter().filter(|it| at.is_some_and(|at| it.span.meets(at)));
        match &*request.method {
            "textDocument/hover" => {
                let texts: Vec<String> = met.map(Shown::text).collect();
                let hover =
                    json!({ "contents": { "kind": "plaintext", "value": texts.join("\n\n") } });
                Response::new_ok(request.id, if texts.is_empty() { Value::Null } else { hover })
            }
            "textDocument/codeAction" => {
                let actions: Vec<Value> =
                    met.flat_map(|it| self.actions(uri, document.version, it)).collect();
                Response::new_ok(request.id, actions)
            }
            method => {
                let code = ErrorCode::MethodNotFound as i32;
                Response::new_err(request.id, code, format!("no method {method}"))
            }
        }
    }

    /// Returns the ways to settle a finding: to write the new name, or to say that the paragraph still holds.
    fn actions(&self, uri: &str, version: Option<i64>, it: &Shown) -> Vec<Value> {
        let action = |title: String, edits: Vec<Value>, is_preferred: bool| {
            json!({
                "title": title,
                "kind": "quickfix",
                "isPreferred": is_preferred,
                "diagnostics": [diagnostic(it)],
                "edit": { "documentChanges": [{
                    "textDocument": { "uri": uri, "version": version }, "edits": edits,
                }] },
            })
        };
        let mut actions = Vec::new();
        if let Some((_, new)) = it.edits.first() {
            let edits =
                it.edits.iter().map(|(span, new)| json!({ "range": span.json(), "newText": new }));
            actions.push(action(
                format!("Write the new name: {}", escape(new)),
                edits.collect(),
                true,
            ));
        }
        let settings = Settings::new(self.global, self.root.as_deref(), true);
        let (Ok(settings), true) = (settings, uri.ends_with(".md")) else { return actions };
        let today: String = settings.now.to_string().chars().take(10).collect();
        let start = Position { line: it.line, character: 0 };
        let comment = format!("<!-- staleness: verified {today} -->\n");
        let insert = json!({ "range": Span { start, end: start }.json(), "newText": comment });
        actions.push(action("Say that this paragraph still holds".into(), vec![insert], false));
        actions
    }
}

impl Shown {
    fn text(&self) -> String {
        format!("{}: {}", self.level.as_str(), self.reasons)
    }
}

fn diagnostic(it: &Shown) -> Value {
    json!({
        "range": it.span.json(),
        "severity": if it.level == Level::Stale { 2 } else { 3 },
        "source": "staleness",
        "code": it.code,
        "message": it.text(),
    })
}

/// Returns the findings of a document.
fn shown(settings: &Settings, checked: &Checked, text: &str) -> Vec<Shown> {
    let fixes = Fixes::of(settings, &checked.found, &checked.report);
    let lines: Vec<&str> = text.lines().collect();
    let of = |finding: &Finding| {
        let told = &finding.told;
        let evidence: Vec<&Evidence> = finding.told_evidence().collect();
        let first = told.line.unwrap_or(1);
        let place = evidence.iter().find_map(|it| Some((it.line?, it.column.unwrap_or(1))));
        let path = told.path.as_deref().unwrap_or_default();
        let edits = evidence.iter().flat_map(|it| fixes.for_evidence(path, it));
        let edit = |it: &Edit| {
            let at = |column| position(&lines, it.line, column);
            (Span { start: at(it.column), end: at(it.end_column) }, it.new.clone())
        };
        let signals = &told.verdict.signals;
        let reasons: Vec<_> = signals.iter().map(|it| escape(&it.reason)).collect();
        Shown {
            span: match place {
                Some((line, column)) => Span {
                    start: position(&lines, line, column),
                    end: position(&lines, line, column + word(&lines, line, column)),
                },
                None => Span {
                    start: position(&lines, first, 1),
                    end: position(&lines, finding.last_line.max(first), u32::MAX),
                },
            },
            level: told.verdict.level,
            code: signals.first().map_or("", |it| it.kind.as_str()),
            reasons: reasons.join("; "),
            line: first.saturating_sub(1),
            edits: edits.map(edit).collect(),
        }
    };
    let told = checked.found.all().filter(|it| it.told.verdict.level > Level::Fresh);
    told.map(of).collect()
}

/// Returns the position of a character of a line, both counted from 1; at most the end of the line.
fn position(lines: &[&str], line: u32, column: u32) -> Position {
    let text = lines.get((line as usize).saturating_sub(1)).copied().unwrap_or_default();
    let before = text.chars().take((column as usize).saturating_sub(1));
    let units: usize = before.map(char::len_utf16).sum();
    Position { line: line.saturating_sub(1), character: u32::try_from(units).unwrap_or(u32::MAX) }
}

/// Returns the number of characters of the word or link at a place.
fn word(lines: &[&str], line: u32, column: u32) -> u32 {
    let text = lines.get((line as usize).saturating_sub(1)).copied().unwrap_or_default();
    let start = text.char_indices().nth((column as usize).saturating_sub(1));
    let rest = start.map_or("", |(at, _)| &text[at..]);
    let ends = |c: char| c.is_whitespace() || "`)]\"'<>".contains(c);
    let link = rest.find(')').filter(|_| rest.starts_with(['[', '!'])).map(|at| at + 1);
    let end = link.unwrap_or_else(|| rest.find(ends).unwrap_or(rest.len()));
    u32::try_from(rest[..end].chars().count()).unwrap_or(u32::MAX)
}

/// Reads a document for the places of its findings; empty if it is too large.
fn text_of(path: &Path) -> String {
    let fits = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
    fits.then(|| std::fs::read_to_string(path).ok()).flatten().unwrap_or_default()
}

/// Returns the path of a `file:` URI.
fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    // Windows: `/c:/project`.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if is_drive { &path[1..] } else { &*path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_the_units_of_the_protocol() {
        let lines = ["a 😀 `src/a.rs` b", ""];
        let at = |line, character| Position { line, character };
        assert_eq!(position(&lines, 1, 6), at(0, 6));
        assert_eq!((word(&["[a](b c) d"], 1, 1), word(&lines, 1, 5)), (8, 0));
        assert_eq!((word(&lines, 1, 6), position(&lines, 1, u32::MAX)), (8, at(0, 17)));
        assert_eq!(
            (position(&lines, 2, 9), position(&lines, 7, 1), word(&lines, 7, 1)),
            (at(1, 0), at(6, 0), 0)
        );
    }

    #[test]
    fn a_uri_names_a_file() {
        let path = |uri| path_of(uri).map(|path| path.display().to_string());
        assert_eq!(path("file:///a%20b/%C3%A9.md").as_deref(), Some("/a b/é.md"));
        assert_eq!(path("file:///c%3A/a.md").as_deref(), Some("c:/a.md"));
        for none in ["https://h/a.md", "untitled:1", "", "file:///%ff"] {
            assert_eq!(path(none), None, "{none}");
        }
    }
}
