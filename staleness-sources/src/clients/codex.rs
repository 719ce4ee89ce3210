//! Codex CLI, which keeps its servers in TOML. The parser gives up at a depth of 80; its messages
//! quote the file and are not used.

use staleness_core::scan::{Found, SourceReading};
use toml::de::DeTable;

use super::{Outside, Place};
use crate::draft::{Draft, one_line};
use crate::text::{Content, line_at, read_config, shown};

/// The largest file that is read, in bytes. No outline is made of it.
const MAX_BYTES: u64 = 1024 * 1024;

/// Programs write files in pieces whose sizes are multiples of this, in bytes.
const PIECE: usize = 512;

pub(super) fn read(outside: &Outside<'_>, sources: &mut Vec<SourceReading>) {
    let user = match outside.codex_dir {
        Some(folder) => folder.join("config.toml"),
        None => outside.home.join(".codex/config.toml"),
    };
    for place in outside.places(user, outside.home_is_there, Some(".codex/config.toml")) {
        sources.push(toml_source(&place));
    }
}

fn toml_source(place: &Place<'_>) -> SourceReading {
    let (path, draft) = (&*place.path, place.draft("codex", "mcp"));
    let text = match read_config(path, place.fence, MAX_BYTES) {
        Content::Missing => return draft.missing(place.root_is_there),
        Content::Failed(why) => return draft.failed(why),
        Content::Text(text) => text,
    };
    let fault =
        |offset: usize, what: &str| format!("{}:{}: {what}", shown(path), line_at(&text, offset));
    match DeTable::parse(&text) {
        Ok(root) => {
            let mut draft = draft;
            add_servers(&mut draft, root.get_ref(), &fault);
            if looks_cut(&text) {
                draft.fault(|| fault(text.len(), "the last line has no end: half-written?"));
            }
            draft.read()
        }
        Err(error) => {
            let at = error.span().map_or(text.len(), |span| span.start);
            draft.failed(fault(at, "is not valid TOML"))
        }
    }
}

/// TOML needs no closing bracket, so what was written of a file so far may look whole. A text that
/// stops in the middle of a line exactly where a piece ends is taken for unfinished.
fn looks_cut(text: &str) -> bool {
    text.len().is_multiple_of(PIECE) && !text.ends_with('\n')
}

fn add_servers(draft: &mut Draft, root: &DeTable<'_>, fault: &dyn Fn(usize, &str) -> String) {
    let Some(servers) = root.get("mcp_servers") else {
        return;
    };
    let Some(table) = servers.get_ref().as_table() else {
        draft.fault(|| fault(servers.span().start, "the servers are not a table"));
        return;
    };
    for (name, value) in table {
        let Some(found) = Found::server(name.get_ref()) else {
            draft.fault(|| fault(name.span().start, "a server has a name that cannot be used"));
            continue;
        };
        let Some(server) = value.get_ref().as_table() else {
            draft.fault(|| fault(value.span().start, "a server is not a table"));
            continue;
        };
        let flag = |key: &str| server.get(key).and_then(|value| value.get_ref().as_bool());
        let off = flag("enabled") == Some(false) || flag("disabled") == Some(true);
        let description =
            server.get("description").and_then(|value| value.get_ref().as_str()).map(one_line);
        draft.add(found.switched_off(off).described(description.as_deref()));
    }
}
