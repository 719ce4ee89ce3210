//! The MCP server in Codex CLI's TOML file.
//!
//! TOML allows a table at the end of any file, so ours is appended as text, and removed line by line. `toml_edit` would
//! rewrite the whole file, including its line endings.

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, parse_document};

use super::Fault;
use super::json::BOM;
use super::server::NAME;
use super::shell::{Call, Program};

/// The key of the server tables.
const KEY: &str = "mcp_servers";

/// The table of the MCP server.
#[derive(Clone, Debug)]
pub(crate) struct TomlServer {
    pub program: Program,
}

impl TomlServer {
    /// Adds the table, or updates it.
    pub(super) fn install(&self, text: &str) -> Result<String, Fault> {
        let (bom, body) = split_bom(text);
        let root = parse(body)?;
        let Some(servers) = root.get(KEY) else { return self.appended(bom, body) };
        let fault = |what: &str| Err(Fault::at(body, servers.span().start, what));
        let Some(table) = servers.get_ref().as_table() else {
            return fault("`mcp_servers` is not a table");
        };
        let Some(entry) = table.get(NAME) else { return self.appended(bom, body) };
        match call(entry.get_ref()) {
            Some((call, arguments)) if self.program.wrote_server(&call, &arguments) => {
                Ok(self.updated(bom, body, entry))
            }
            Some((call, _)) if call.is_named() => Ok(text.to_owned()),
            _ => Err(Fault::at(
                body,
                entry.span().start,
                format!("there is already a server named {NAME} that `init` did not write"),
            )),
        }
    }

    /// Removes the table and its subtables.
    pub(super) fn remove(&self, text: &str) -> Result<String, Fault> {
        let (bom, body) = split_bom(text);
        let root = parse(body)?;
        if self.program_in(&root).is_none() {
            return Ok(text.to_owned());
        }
        let table = root.get(KEY).and_then(|servers| servers.get_ref().as_table());
        let Some((name, entry)) = table.and_then(|table| table.get_key_value(NAME)) else {
            return Ok(text.to_owned());
        };
        let header = line_of(body, name.span().start);
        let mut lines = Vec::new();
        if !body[header.0..].trim_start().starts_with('[') {
            let what = "is not a separate table; remove it by hand";
            return Err(Fault::at(body, name.span().start, format!("the server {NAME} {what}")));
        }
        // `install` adds a blank line before the table, unless the table begins the file.
        let end = lines_of(body, header, entry.get_ref(), &mut lines);
        let rest = &body[end..];
        let blank = body[..header.0].ends_with("\n\n") || body[..header.0].ends_with("\n\r\n");
        if blank && (rest.trim().is_empty() || rest.starts_with(['\n', '\r'])) {
            lines.push(line_of(body, header.0 - 1));
        }
        lines.sort_unstable();
        lines.dedup();
        let mut left = body.to_owned();
        for (from, to) in lines.into_iter().rev() {
            left.replace_range(from..to, "");
        }
        Ok(format!("{bom}{left}"))
    }

    /// Returns `after` if the two texts differ only in our table.
    pub(super) fn checked(&self, before: &str, after: String) -> Result<String, Fault> {
        if self.strip(before)? == self.strip(&after)? {
            return Ok(after);
        }
        Err(Fault { line: 1, what: "cannot be changed safely".into() })
    }

    /// Returns the parsed text without our table.
    fn strip(&self, text: &str) -> Result<Table, Fault> {
        let (_, body) = split_bom(text);
        let root = parse(body)?;
        let ours = self.program_in(&root).is_some();
        let mut table: Table = body.parse().map_err(|_| Fault::at(body, 0, "is not valid TOML"))?;
        if let Some(Value::Table(servers)) = table.get_mut(KEY) {
            if ours {
                servers.remove(NAME);
            }
            if servers.is_empty() {
                table.remove(KEY);
            }
        }
        Ok(table)
    }

    /// Returns the program that our table runs, or `None` if there is no such table.
    pub(super) fn program(&self, text: &str) -> Option<String> {
        self.program_in(&parse(split_bom(text).1).ok()?)
    }

    fn program_in(&self, root: &DeTable<'_>) -> Option<String> {
        let servers = root.get(KEY)?.get_ref().as_table()?;
        let (call, arguments) = call(servers.get(NAME)?.get_ref())?;
        let ours = self.program.wrote_server(&call, &arguments);
        ours.then(|| call.program.into_owned())
    }

    fn values(&self) -> [(&'static str, Value); 2] {
        let args: Vec<Value> = self.program.server().into_iter().map(Value::from).collect();
        [("command", self.program.path.clone().into()), ("args", args.into())]
    }

    fn appended(&self, bom: &str, body: &str) -> Result<String, Fault> {
        let newline = if body.find('\n').is_some_and(|at| body[..at].ends_with('\r')) {
            "\r\n"
        } else {
            "\n"
        };
        let mut text = format!("{bom}{body}");
        if !body.is_empty() && !body.ends_with('\n') {
            text.push_str(newline);
        }
        if !body.trim().is_empty() {
            text.push_str(newline);
        }
        text.push_str(&format!("[{KEY}.{NAME}]{newline}"));
        for (key, value) in self.values() {
            text.push_str(&format!("{key} = {value}{newline}"));
        }
        if parse(split_bom(&text).1).is_ok() {
            return Ok(text);
        }
        // An inline table cannot get a subtable.
        let root = parse(body)?;
        let at = root.get(KEY).map_or(0, |servers| servers.span().start);
        let what = "`mcp_servers` is written as one value; write it as [mcp_servers.NAME] tables";
        Err(Fault::at(body, at, what))
    }

    fn updated(&self, bom: &str, body: &str, entry: &Spanned<DeValue<'_>>) -> String {
        let wanted: Table =
            self.values().into_iter().map(|(key, value)| (key.into(), value)).collect();
        let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
        for (key, value) in &wanted {
            let Some(old) = entry.get_ref().as_table().and_then(|table| table.get(key.as_str()))
            else {
                continue;
            };
            let text = &body[old.span()];
            let same =
                format!("v = {text}").parse::<Table>().is_ok_and(|table| table["v"] == *value);
            if !same {
                edits.push((old.span(), value.to_string()));
            }
        }
        edits.sort_by_key(|(range, _)| range.start);
        let mut text = body.to_owned();
        for (range, value) in edits.into_iter().rev() {
            text.replace_range(range, &value);
        }
        format!("{bom}{text}")
    }
}

/// Sets a boolean member of an existing table. Rejects the result if anything else has changed.
pub(super) fn set(text: &str, at: &[String], key: &str, value: bool) -> Result<String, Fault> {
    let (bom, body) = split_bom(text);
    let root = parse(body)?;
    let fault = |place: usize, what: &str| {
        Err(Fault::at(body, place, format!("{what}; switch it off in the client")))
    };
    let mut place = 0;
    let mut table = Some(&root);
    for key in at {
        let entry = table.and_then(|table| table.get_key_value(key.as_str()));
        place = entry.map_or(place, |(key, _)| key.span().start);
        table = entry.and_then(|(_, value)| value.get_ref().as_table());
    }
    let Some(table) = table else { return fault(place, "was not found where expected") };
    let mut after = body.to_owned();
    let (header, end) = line_of(body, place);
    if let Some(old) = table.get(key) {
        after.replace_range(old.span(), &value.to_string());
    } else if body[header..].trim_start().starts_with('[') {
        let line = body[header..end].trim_end_matches(['\n', '\r']);
        let newline = if body.contains("\r\n") { "\r\n" } else { "\n" };
        after.insert_str(header + line.len(), &format!("{newline}{key} = {value}"));
    }
    let plain = |text: &str| text.parse::<Table>().ok();
    let mut wanted = plain(body);
    let inner =
        at.iter().try_fold(wanted.as_mut(), |table, key| Some(table?.get_mut(key)?.as_table_mut()));
    inner.flatten().map(|table| table.insert(key.to_owned(), Value::Boolean(value)));
    if plain(&after) == wanted {
        return Ok(format!("{bom}{after}"));
    }
    fault(place, "is not a separate table")
}

/// Returns the ranges of all values except Booleans, and of all comments.
pub(super) fn texts_and_comments(text: &str) -> Vec<(usize, usize)> {
    let (bom, body) = split_bom(text);
    if parse(body).is_err() {
        return vec![(0, text.len())];
    }
    let mut places = Vec::new();
    let mut note = |event: Event| {
        let place = event.span().start()..event.span().end();
        let is_hidden = match event.kind() {
            EventKind::Scalar => !["true", "false"].contains(&&body[place.clone()]),
            kind => kind == EventKind::Comment,
        };
        if is_hidden {
            places.push((place.start + bom.len(), place.end + bom.len()));
        }
    };
    parse_document(&Source::new(body).lex().into_vec(), &mut note, &mut ());
    places
}

/// Collects the lines of a table: header, values and subtables, without comments and blank lines. Returns the
/// end of the last one.
fn lines_of(
    body: &str,
    header: (usize, usize),
    value: &DeValue<'_>,
    lines: &mut Vec<(usize, usize)>,
) -> usize {
    lines.push(header);
    let mut end = header.1;
    for (key, value) in value.as_table().into_iter().flatten() {
        let line = line_of(body, key.span().start);
        if body[line.0..].trim_start().starts_with('[') {
            end = end.max(lines_of(body, line, value.get_ref(), lines));
        } else {
            let last = line_of(body, value.span().end.saturating_sub(1).max(line.0)).1;
            lines.push((line.0, last));
            end = end.max(last);
        }
    }
    end
}

/// Returns the range of the line at an offset, with its line ending.
fn line_of(body: &str, at: usize) -> (usize, usize) {
    let from = body[..at].rfind('\n').map_or(0, |at| at + 1);
    let to = body[at..].find('\n').map_or(body.len(), |length| at + length + 1);
    (from, to)
}

fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BOM) { BOM.len_utf8() } else { 0 })
}

/// Parses a text. The parser's messages are not used, because they quote the file, which may contain secrets.
fn parse(body: &str) -> Result<DeTable<'_>, Fault> {
    match DeTable::parse(body) {
        Ok(root) => Ok(root.into_inner()),
        Err(error) => {
            let at = error.span().map_or(body.len(), |span| span.start);
            Err(Fault::at(body, at, "is not valid TOML"))
        }
    }
}

/// Returns a table's call and arguments, if it runs this program's server.
fn call<'v>(entry: &'v DeValue<'_>) -> Option<(Call<'v>, Vec<String>)> {
    let table = entry.as_table()?;
    let program = table.get("command")?.get_ref().as_str()?.into();
    let arguments = table.get("args")?.get_ref().as_array()?.iter();
    let arguments: Vec<String> =
        arguments.map(|each| each.get_ref().as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let command = arguments.first().filter(|first| *first == "mcp")?.clone().into();
    Some((Call { program, command }, arguments))
}
