//! `lsp`: a language server that checks the text of a document in an editor. Protocol:
//! <https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/>.

mod place;

use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use staleness::knowledge::Evidence;
use staleness::verdict::Level;
use staleness_docs::{Edit, remedy};
use staleness_service::findings::Finding;
use staleness_service::fixes::{Fixes, verified_comment};

use super::{Checked, check};
use crate::args::{CheckArgs, Global};
use crate::error::{CliError, ErrorKind};
use crate::output::{Output, escape, reasons, section};
use crate::settings::Settings;
use place::{Position, Span, position, word};

/// Maximum size of a document shown in an editor, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Maximum size of a message, and of a line of its header, in bytes.
const MAX_MESSAGE: u64 = 64 << 20;
const MAX_HEADER: u64 = 8 << 10;
/// Time without a message after which a changed text is checked.
const PAUSE: Duration = Duration::from_millis(200);
const MARK: char = '\u{feff}';

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    text_document: Identifier,
    position: Option<Position>,
    range: Option<Span>,
    content_changes: Option<Vec<Change>>,
}

#[derive(Deserialize)]
struct Change {
    text: String,
    /// The replaced range. If it is absent, `text` is the whole text, which is what the server asks for.
    range: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Identifier {
    uri: String,
    version: Option<i64>,
    /// The text in the editor, in the notification that opens a document.
    text: Option<String>,
}

/// A finding in the form that an editor shows.
struct Diagnostic {
    span: Span,
    level: Level,
    /// The kind of the strongest signal.
    code: &'static str,
    reasons: String,
    /// The end of the paragraph.
    end: Position,
    /// The comment that marks the paragraph as still true, or `None` if the paragraph cannot take a comment.
    verified: Option<String>,
    /// Replacements for the old names, each with its range.
    edits: Vec<(Span, String)>,
}

#[derive(Default)]
struct Document {
    /// The version of the text in the editor. The editor rejects an edit of any other version.
    version: Option<i64>,
    /// True if the text in the editor begins with the byte-order mark of the file, which most editors remove.
    has_mark: bool,
    /// The text in the editor, if it has not been checked and may differ from the file.
    unsaved: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

struct Server<'a> {
    global: &'a Global,
    out: &'a Output,
    connection: Connection,
    /// Open documents by URI.
    documents: HashMap<String, Document>,
    /// URIs of the documents whose text was changed after the last check.
    changed: BTreeSet<String>,
    /// True if a gap of an incomplete check was already shown in the editor.
    has_told_gap: bool,
}

/// Serves an editor on stdin and stdout until it shuts down or disconnects.
pub(crate) fn run(global: &Global, out: &Output) -> Result<(), CliError> {
    let (connection, Connection { sender, receiver }) = Connection::memory();
    let reader =
        thread::spawn(move || listen(&mut io::stdin().lock(), |it| sender.send(it).is_ok()));
    let writer = thread::spawn(move || {
        let mut stdout = io::stdout().lock();
        receiver.into_iter().try_for_each(|message| message.write(&mut stdout))
    });
    let broken = |error: &dyn std::fmt::Display| {
        CliError::new(ErrorKind::Io, format!("the editor sent an invalid message: {error}"))
    };
    let capabilities = json!({
        // Each change sends the whole text.
        "textDocumentSync": { "openClose": true, "change": 1, "save": true },
        "hoverProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
    });
    connection.initialize(capabilities).map_err(|error| broken(&error))?;
    let (documents, changed) = (HashMap::new(), BTreeSet::new());
    let mut server = Server { global, out, connection, documents, changed, has_told_gap: false };
    let served = server.serve();
    // The threads end when the connection closes.
    drop(server);
    served.map_err(|error| broken(&error))?;
    let ended = [reader, writer].into_iter().try_for_each(|it| it.join().unwrap_or(Ok(())));
    ended.map_err(|error| broken(&error))
}

/// Reads messages until the editor exits or disconnects, or `take` returns false. Malformed messages are skipped.
fn listen(from: &mut impl BufRead, take: impl Fn(Message) -> bool) -> io::Result<()> {
    while let Some(text) = text_from(from)? {
        let Ok(message) = serde_json::from_slice(&text) else { continue };
        let is_exit = matches!(&message, Message::Notification(it) if it.method == "exit");
        if !take(message) || is_exit {
            break;
        }
    }
    Ok(())
}

/// Reads the text of a message. Returns `None` at the end of input. The declared length is untrusted.
fn text_from(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.by_ref().take(MAX_HEADER).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.strip_suffix("\r\n").ok_or_else(|| invalid("a header has no end"))?;
        match line.split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                length = value.parse::<u64>().ok();
            }
            None if line.is_empty() => break,
            _ => {}
        }
    }
    let length = length.filter(|length| *length <= MAX_MESSAGE);
    let length = length.ok_or_else(|| invalid("its length is missing, or over 64 MiB"))?;
    let mut text = Vec::new();
    from.by_ref().take(length).read_to_end(&mut text)?;
    let is_whole = text.len() as u64 == length;
    if is_whole { Ok(Some(text)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

impl Server<'_> {
    fn serve(&mut self) -> Result<(), String> {
        loop {
            let wait = if self.changed.is_empty() { Duration::MAX } else { PAUSE };
            match self.connection.receiver.recv_timeout(wait) {
                Err(error) if error.is_timeout() => self.check_changed()?,
                Err(_) => return Ok(()),
                Ok(Message::Request(request)) => {
                    let ends = self.connection.handle_shutdown(&request);
                    if ends.map_err(|error| error.to_string())? {
                        return Ok(());
                    }
                    self.check_changed()?;
                    let answer = self.answer(request);
                    self.send(Message::Response(answer))?;
                }
                Ok(Message::Notification(notification)) => self.on_notification(&notification)?,
                Ok(Message::Response(_)) => {}
            }
        }
    }

    fn send(&self, message: Message) -> Result<(), String> {
        self.connection.sender.send(message).map_err(|error| error.to_string())
    }

    fn on_notification(&mut self, notification: &Notification) -> Result<(), String> {
        let Ok(params) = Params::deserialize(&notification.params) else { return Ok(()) };
        let Params { text_document: Identifier { uri, version, text }, content_changes, .. } =
            params;
        let starts_with_mark = |text: &String| text.starts_with(MARK);
        match &*notification.method {
            "textDocument/didOpen" => {
                let has_mark = text.as_ref().is_some_and(starts_with_mark);
                let document = Document { version, has_mark, unsaved: text, ..Document::default() };
                self.documents.insert(uri.clone(), document);
                self.check(&uri)
            }
            "textDocument/didSave" => {
                if let Some(document) = self.documents.get_mut(&uri) {
                    document.unsaved = None;
                }
                self.check(&uri)
            }
            "textDocument/didChange" => {
                let Some(document) = self.documents.get_mut(&uri) else { return Ok(()) };
                document.version = version;
                // The positions of the findings are unknown until the next check.
                document.diagnostics.clear();
                let change = content_changes.and_then(|mut changes| changes.pop());
                if let Some(Change { text, range: None }) = change {
                    document.has_mark = starts_with_mark(&text);
                    document.unsaved = Some(text);
                    self.changed.insert(uri);
                }
                Ok(())
            }
            "textDocument/didClose" => {
                self.changed.remove(&uri);
                self.documents.remove(&uri);
                self.publish(&uri)
            }
            _ => Ok(()),
        }
    }

    fn publish(&self, uri: &str) -> Result<(), String> {
        let found = self.documents.get(uri).map_or(&[][..], |document| &document.diagnostics);
        let diagnostics: Vec<Value> = found.iter().map(Diagnostic::json).collect();
        let params = json!({ "uri": uri, "diagnostics": diagnostics });
        self.send(Notification::new("textDocument/publishDiagnostics".into(), params).into())
    }

    fn check_changed(&mut self) -> Result<(), String> {
        while let Some(uri) = self.changed.pop_first() {
            self.check(&uri)?;
        }
        Ok(())
    }

    /// Checks an open document, and shows its findings.
    fn check(&mut self, uri: &str) -> Result<(), String> {
        self.changed.remove(uri);
        let Some(document) = self.documents.get_mut(uri) else { return Ok(()) };
        let (unsaved, has_mark) = (document.unsaved.take(), document.has_mark);
        let diagnostics = self.find(uri, unsaved, has_mark)?;
        self.documents.entry(uri.to_owned()).or_default().diagnostics = diagnostics;
        self.publish(uri)
    }

    /// Returns the findings of a document with the text in the editor, or the text on disk if `unsaved` is None. Empty
    /// if the document cannot be checked. Shows the first gap of a check.
    fn find(
        &mut self,
        uri: &str,
        unsaved: Option<String>,
        has_mark: bool,
    ) -> Result<Vec<Diagnostic>, String> {
        let Some(path) = path_of(uri) else { return Ok(Vec::new()) };
        let Some(on_disk) = text_of(&path) else { return Ok(Vec::new()) };
        if unsaved.as_ref().is_some_and(|text| text.len() as u64 > MAX_BYTES) {
            return Ok(Vec::new());
        }
        let is_bare = on_disk.starts_with(MARK) && !has_mark;
        // In git history, the text begins with the mark.
        let unsaved = unsaved.map(|text| if is_bare { format!("{MARK}{text}") } else { text });
        let args = CheckArgs { paths: vec![path.clone()], unsaved, ..CheckArgs::default() };
        let checked = || {
            // An editor may show several projects, so the document's folder identifies the project.
            let settings = Settings::new(self.global, path.parent(), true)?;
            let checked = check(&settings, &args, None, true, self.out)?;
            Ok((settings, checked))
        };
        let (settings, checked) = match checked() {
            Ok(checked) => checked,
            Err(error) => {
                let error: CliError = error;
                self.out.note(&error.render(false));
                return Ok(Vec::new());
            }
        };
        if let Some(gap) = checked.report.blind.first().filter(|_| !self.has_told_gap) {
            self.has_told_gap = true;
            let message =
                format!("staleness: {} {}; {}", escape(&gap.path), gap.reason, remedy(gap.kind));
            let params = json!({ "type": 2, "message": message });
            self.send(Notification::new("window/showMessage".into(), params).into())?;
        }
        let fixes = Fixes::of(&settings, &checked.found, &checked.report, args.unsaved.as_deref());
        let text = args.unsaved.as_deref().unwrap_or(&on_disk);
        Ok(diagnostics(&settings, &checked, &fixes, text, is_bare))
    }

    fn answer(&self, request: Request) -> Response {
        let is_hover = request.method == "textDocument/hover";
        if !is_hover && request.method != "textDocument/codeAction" {
            let message = format!("no method {}", request.method);
            return Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message);
        }
        let params = match Params::deserialize(&request.params) {
            Ok(params) => params,
            Err(error) => {
                let code = ErrorCode::InvalidParams as i32;
                return Response::new_err(request.id, code, error.to_string());
            }
        };
        let uri = &params.text_document.uri;
        let none = Document::default();
        let document = self.documents.get(uri).unwrap_or(&none);
        let span = params.position.map(|at| Span { start: at, end: at }).or(params.range);
        let hits = document.diagnostics.iter();
        let hits = hits.filter(|it| span.is_some_and(|span| it.span.meets(span)));
        if is_hover {
            let texts: Vec<String> = hits.map(Diagnostic::text).collect();
            let hover = json!({ "contents": { "kind": "plaintext", "value": texts.join("\n\n") } });
            return Response::new_ok(
                request.id,
                if texts.is_empty() { Value::Null } else { hover },
            );
        }
        let actions: Vec<Value> = hits.flat_map(|it| it.actions(uri, document.version)).collect();
        Response::new_ok(request.id, actions)
    }
}

impl Diagnostic {
    fn text(&self) -> String {
        format!("{}: {}", self.level.as_str(), self.reasons)
    }

    fn json(&self) -> Value {
        json!({
            "range": self.span.json(),
            "severity": if self.level == Level::Stale { 2 } else { 3 },
            "source": "staleness",
            "code": self.code,
            "codeDescription": { "href": section(self.code) },
            "message": self.text(),
        })
    }

    /// Returns the code actions for a finding: to write the new name, and to mark the paragraph as still true.
    fn actions(&self, uri: &str, version: Option<i64>) -> Vec<Value> {
        let action = |title: String, edits: Vec<Value>, is_preferred: bool| {
            json!({
                "title": title,
                "kind": "quickfix",
                "isPreferred": is_preferred,
                "diagnostics": [self.json()],
                "edit": { "documentChanges": [{
                    "textDocument": { "uri": uri, "version": version }, "edits": edits,
                }] },
            })
        };
        let edit = |span: Span, new: &str| json!({ "range": span.json(), "newText": new });
        let mut actions = Vec::new();
        if let Some((_, new)) = self.edits.first() {
            let edits = self.edits.iter().map(|(span, new)| edit(*span, new)).collect();
            actions.push(action(format!("Write the new name: {}", escape(new)), edits, true));
        }
        if let Some(comment) = &self.verified {
            let insert = edit(Span { start: self.end, end: self.end }, comment);
            actions.push(action("Mark this paragraph as still true".into(), vec![insert], false));
        }
        actions
    }
}

fn diagnostics(
    settings: &Settings,
    checked: &Checked,
    fixes: &Fixes,
    text: &str,
    is_bare: bool,
) -> Vec<Diagnostic> {
    let lines: Vec<&str> = text.lines().collect();
    let at = |line, column| {
        let mut at = position(&lines, line, column);
        at.character -= u32::from(is_bare && at.line == 0 && at.character > 0);
        at
    };
    let of = |finding: &Finding| {
        let told = &finding.told;
        let evidence: Vec<&Evidence> = finding.told_evidence().collect();
        let first = told.line.unwrap_or(1).max(1);
        let last = finding.last_line.max(first);
        let place = evidence.iter().find_map(|it| Some((it.line?, it.column.unwrap_or(1))));
        let path = told.path.as_deref().unwrap_or_default();
        let edits = evidence.iter().flat_map(|it| fixes.for_evidence(path, it));
        let edit = |it: &Edit| {
            let span = Span { start: at(it.line, it.column), end: at(it.line, it.end_column) };
            (span, it.new.clone())
        };
        let signals = &told.verdict.signals;
        Diagnostic {
            span: match place {
                Some((line, column)) => Span {
                    start: at(line, column),
                    end: at(line, column + word(&lines, line, column)),
                },
                None => Span { start: at(first, 1), end: at(last, u32::MAX) },
            },
            level: told.verdict.level,
            code: signals.first().map_or("", |it| it.kind.as_str()),
            reasons: reasons(&told.verdict),
            end: at(last, u32::MAX),
            verified: verified_comment(
                path,
                lines.get(last as usize - 1).copied().unwrap_or_default(),
                &settings.now.date(),
            ),
            edits: edits.map(edit).collect(),
        }
    };
    let told = checked.found.all().filter(|it| it.told.verdict.level > Level::Fresh);
    told.map(of).collect()
}

/// Reads a document to locate its findings. Returns `None` if it is too large or cannot be read.
fn text_of(path: &Path) -> Option<String> {
    let fits = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
    fits.then(|| std::fs::read_to_string(path).ok()).flatten()
}

/// Returns the path of a `file:` URI, or `None` for any other URI.
fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://").filter(|path| path.starts_with('/'))?;
    let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    // On Windows, the path is like `/c:/project`.
    Some(PathBuf::from(if cfg!(windows) { &path[1..] } else { &*path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_a_file() {
        let path = |uri| path_of(uri).map(|path| path.display().to_string());
        assert_eq!(
            path("file:///a%20b/%C3%A9.md").as_deref(),
            Some(if cfg!(windows) { "a b/é.md" } else { "/a b/é.md" })
        );
        for none in ["https://h/a.md", "untitled:1", "", "file:///%ff", "file://", "file://\u{e9}:"]
        {
            assert_eq!(path(none), None, "{none}");
        }
    }
}
