//! `report`: builds an HTML page with all information. The page makes no network requests, and its only script is
//! inline.

use std::collections::HashMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use staleness::Timestamp;
use staleness::ids::ToolKey;
use staleness::report::{KnowledgeReport, ToolReport, WorkReport};
use staleness_core::journal::JournalEntry;
use staleness_core::report::{SourceReport, ToolCost};
use staleness_core::text::counted;
use staleness_service::costs::{ClientCost, Costs, InstructionCost};
use staleness_service::when::ago;

use super::tools::{Matrix, cause, clients};
use super::work::what;
use super::{escape, reasons, section};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The SHA-256 of [`SCRIPT`], so that a browser does not run any other script.
const SCRIPT_DIGEST: &str = "KDz2Ag+GiBwF7q6NCOvgNvLjMY/eKmVWxaW9Pgj71tc=";
/// Maximum size of a page, in bytes. The table of tools gets the bytes that the other tables leave.
const MAX_BYTES: usize = 2_000_000;
/// Maximum size of the rows of any other table, in bytes.
const TABLE_BYTES: usize = 120_000;
/// Size reserved for everything outside the tables, in bytes.
const FRAME_BYTES: usize = 60_000;

/// The content of a page. Lists are in the order in which the page shows them.
pub(crate) struct Page<'a> {
    pub root: &'a str,
    /// The requesting client, or `any client`.
    pub audience: &'a str,
    pub now: Timestamp,
    pub tools: &'a [ToolReport],
    pub matrix: Matrix,
    /// Uses in the last days, oldest first.
    pub days: &'a [Day],
    /// Uses of each tool on the last days.
    pub uses: &'a HashMap<ToolKey, Uses>,
    /// Changes in the last week, newest first.
    pub changes: &'a [JournalEntry],
    pub documents: &'a [KnowledgeReport],
    /// A sentence to show if there are no findings in documents.
    pub checked: String,
    pub sources: &'a [SourceReport],
    pub knowledge: &'a [KnowledgeReport],
    pub work: &'a [WorkReport],
    pub costs: &'a Costs,
}

/// The uses of all tools on one day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Day {
    /// The date in UTC: `2026-11-28`.
    pub date: String,
    pub successes: usize,
    pub failures: usize,
}

/// Bit sets of the days on which a tool succeeded or failed. Bit 0 is the day of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    pub successes: u32,
    pub failures: u32,
}

impl Uses {
    /// Returns a letter for each day since the first use, the oldest first.
    fn letters(self) -> String {
        let first = u32::BITS - (self.successes | self.failures).leading_zeros();
        let letter = |day: u32| match (self.successes >> day & 1, self.failures >> day & 1) {
            (0, 0) => '-',
            (_, 0) => 'S',
            (0, _) => 'F',
            _ => 'B',
        };
        (0..first).rev().map(letter).collect()
    }
}

impl Page<'_> {
    pub(crate) fn render(&self) -> String {
        let policy = format!(
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_DIGEST}'"
        );
        let mut sections = [
            ("clients", "Clients and servers", self.matrix()),
            ("uses", "Uses of tools", self.uses()),
            ("tools", "Tools", PreEscaped(String::new())),
            ("changes", "Changed this week", self.changes()),
            ("documents", "Documents", items(self.documents, &self.checked)),
            ("knowledge", "Knowledge", items(self.knowledge, "Nothing is stored")),
            ("work", "Work", self.work()),
            ("cost", "Cost of a session", self.costs()),
        ];
        let others: usize = sections.iter().map(|(.., content)| content.0.len()).sum();
        sections[2].2 = self.tools(MAX_BYTES.saturating_sub(FRAME_BYTES + others));
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { "staleness: " (escape(self.root)) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        h1 { (escape(self.root)) }
                        p.faint { "For " (self.audience) ", at " (self.now) "." }
                        @for source in self.sources.iter().filter(|it| it.state.is_unread()) {
                            p.review {
                                (source.id) " (" (source.state.as_str()) "): "
                                (escape(source.error.as_deref().unwrap_or(&source.path)))
                            }
                        }
                        nav aria-label="sections" {
                            @for (id, title, _) in &sections { a href={ "#" (id) } { (title) } }
                        }
                        p.filter hidden {
                            label { "Filter all tables " input type="search"; } " " output.faint {}
                        }
                    }
                    main {
                        @for (id, title, content) in &sections {
                            section id=(id) { h2 { (title) } (content) }
                        }
                    }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string()
    }

    fn matrix(&self) -> Markup {
        let Matrix { clients, rows } = &self.matrix;
        let heads: Vec<&str> =
            ["server"].into_iter().chain(clients.iter().map(|it| &**it)).collect();
        let row = |(name, states): &(String, Vec<&str>)| {
            html! { tr { td { (escape(name)) } @for state in states { td.(state) { (state) } } } }
        };
        table(&heads, TABLE_BYTES, "No MCP server is known", rows.iter().map(row))
    }

    /// Renders a bar for each day, and the numbers for screen readers.
    fn uses(&self) -> Markup {
        const HEIGHT: usize = 80;
        const WIDTH: usize = 20;
        let most = self.days.iter().map(|day| day.successes + day.failures).max().unwrap_or(0);
        if most == 0 {
            let days = self.days.len();
            return html! { p { "No success or failure was recorded in the last " (days) " days." } };
        }
        // Even the smallest number must be visible.
        let high = |count: usize| (count * HEIGHT / most).max(usize::from(count > 0));
        let (width, top) = (self.days.len() * WIDTH, HEIGHT + 14);
        let bar = |class: &str, left: usize, below: usize, count: usize| {
            let high = high(count);
            // Both bars may have been rounded up.
            let y = (HEIGHT + 1).saturating_sub(below + high);
            html! { rect.(class) x=(left) y=(y) width=(WIDTH - 4) height=(high) {} }
        };
        let row = |day: &Day| {
            html! { tr { td { (day.date) } td { (day.successes) } td { (day.failures) } } }
        };
        html! {
            svg viewBox={ "0 0 " (width) " " (top) } width=(width) height=(top) role="img" aria-label="uses per day" {
                @for (at, day) in self.days.iter().enumerate() {
                    g {
                        title { (day.date) ": " (day.successes) " succeeded, " (day.failures) " failed" }
                        (bar("good", at * WIDTH, 0, day.successes))
                        (bar("bad", at * WIDTH, high(day.successes), day.failures))
                        @if at % 7 == 0 { text x=(at * WIDTH) y=(top - 2) { (day.date.get(5..).unwrap_or_default()) } }
                    }
                }
            }
            details { summary { "As numbers" }
                (table(&["day", "succeeded", "failed"], TABLE_BYTES, "", self.days.iter().map(row)))
            }
        }
    }

    fn tools(&self, most: usize) -> Markup {
        let used = |tool: &ToolReport| match tool.last_used_at {
            Some(at) => ago(self.now, at),
            None => "never".to_owned(),
        };
        let days = self.days.len();
        let heads = ["tool", "status", "freshness", "by day", "last use", "clients", "why"];
        let row = |tool: &ToolReport| {
            let letters = self.uses.get(&tool.key).map(|uses| uses.letters()).unwrap_or_default();
            html! {
                tr {
                    td { (escape(tool.key.name.as_str())) }
                    td.(tool.status_word.as_str()) { (tool.status_word.as_str()) }
                    td { (tool.verdict.score().map(|score| format!("{score:.2}")).unwrap_or_default()) }
                    td { (letters) }
                    td data-key=(tool.last_used_at.map_or(0, minutes)) { (used(tool)) }
                    td { (clients(tool)) }
                    td { (reasons(&tool.verdict)) }
                }
            }
        };
        html! {
            (table(&heads, most, "No tool is known", self.tools.iter().map(row)))
            p.faint {
                "Outcomes per day for the last " (days) " days, today last: "
                "S all uses succeeded, F all failed, B some of each, - no use."
            }
        }
    }

    fn changes(&self) -> Markup {
        let heads = ["when", "what", "change", "why"];
        let row = |entry: &JournalEntry| {
            html! {
                tr {
                    td data-key=(minutes(entry.at)) { (ago(self.now, entry.at)) }
                    td { (entry.subject.kind.as_str()) " " (escape(&entry.subject.id)) }
                    td { (entry.action.as_str().replace('_', " ")) @if let Some(to) = &entry.to { ": " (to) } }
                    td { (escape(&cause(&entry.into()))) }
                }
            }
        };
        table(&heads, TABLE_BYTES, "Nothing changed", self.changes.iter().map(row))
    }

    fn work(&self) -> Markup {
        let heads = ["kind", "state", "id", "last activity", "text", "why"];
        let row = |item: &WorkReport| {
            html! {
                tr {
                    td { (item.kind.as_str()) }
                    td { (item.status.as_str().replace('_', " ")) }
                    td { (escape(&item.key.to_string())) }
                    td data-key=(minutes(item.updated_at)) { (ago(self.now, item.updated_at)) }
                    td { (escape(&what(item))) }
                    td.(item.verdict.word()) { (reasons(&item.verdict)) }
                }
            }
        };
        table(&heads, TABLE_BYTES, "No work is open", self.work.iter().map(row))
    }

    fn costs(&self) -> Markup {
        let tokens =
            |tokens: Option<u64>| tokens.map_or_else(|| "unknown".into(), |it| it.to_string());
        let Costs { clients, unused, others, instructions, .. } = self.costs;
        let client_row = |(name, cost): (&String, &ClientCost)| {
            html! { tr { td { (name) } td { (tokens(cost.tokens)) } td { (tokens(cost.unused_tokens)) } } }
        };
        let tool_row = |tool: &ToolCost| {
            html! {
                tr {
                    td { (tool.client) }
                    td { (escape(tool.key.name.as_str())) }
                    td data-key=(tool.last_used_at.map_or(0, minutes)) { (tool.last_used_at.map_or_else(|| "never".into(), |at| ago(self.now, at))) @if tool.unused { ", unused" } }
                    td { (tokens(tool.tokens)) }
                }
            }
        };
        let file_row = |file: &InstructionCost| {
            html! {
                tr {
                    td { (file.client) }
                    td { (escape(&file.path)) }
                    td data-key="0" { "always loaded" }
                    td { (tokens(file.tokens)) }
                }
            }
        };
        let heads = ["client", "tokens", "of which unused"];
        let of_each = ["client", "name", "last use", "tokens"];
        let tools = unused.iter().chain(others).map(tool_row);
        let each: Vec<Markup> = tools.chain(instructions.iter().map(file_row)).collect();
        html! {
            (table(&heads, TABLE_BYTES, "No client is known", clients.iter().map(client_row)))
            h3 { "Each server, skill and file" }
            (table(&of_each, TABLE_BYTES, "Nothing is known to be loaded", each.into_iter()))
            p.faint { "The tokens are " (self.costs.method) "." }
        }
    }
}

/// Returns the minutes since 1970, as a sort key.
fn minutes(at: Timestamp) -> i64 {
    at.as_millis() / Timestamp::MINUTE
}

/// Renders findings in documents, or items of knowledge.
fn items(items: &[KnowledgeReport], none: &str) -> Markup {
    let row = |item: &KnowledgeReport| {
        html! {
            tr {
                td { (escape(&item.id)) }
                td.(item.verdict.word()) { (item.verdict.word()) }
                td { (item.verdict.score().map(|score| format!("{score:.2}")).unwrap_or_default()) }
                td { (escape(&item.title)) }
                td {
                    @for signal in &item.verdict.signals {
                        (escape(&signal.reason)) " "
                        a href=(section(signal.kind.as_str())) { (signal.kind.as_str()) } " "
                    }
                }
            }
        }
    };
    let heads = ["place", "level", "freshness", "title", "why"];
    table(&heads, TABLE_BYTES, none, items.iter().map(row))
}

/// Renders a sortable table with at most `most` bytes of rows, or the sentence `none` if there are no rows.
fn table(
    heads: &[&str],
    most: usize,
    none: &str,
    rows: impl ExactSizeIterator<Item = Markup>,
) -> Markup {
    let (mut left, mut body) = (rows.len(), String::new());
    if left == 0 {
        return html! { p { (none) "." } };
    }
    for row in rows {
        // HTML implies these end tags, so they are omitted to save space.
        let row = row.into_string().replace("</td>", "").replace("</tr>", "");
        if body.len() + row.len() > most {
            break;
        }
        body.push_str(&row);
        left -= 1;
    }
    html! {
        div.scroll {
            table {
                thead { tr { @for head in heads { th scope="col" { button type="button" { (head) } } } } }
                tbody { (PreEscaped(body)) }
            }
        }
        @if left > 0 { p.faint { "… and " (counted(left, "row", "rows")) " more" } }
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn a_browser_runs_the_script() {
        assert_eq!(BASE64_STANDARD.encode(Sha256::digest(SCRIPT)), SCRIPT_DIGEST);
    }

    #[test]
    fn days_begin_with_the_first_use() {
        let letters = |successes, failures| Uses { successes, failures }.letters();
        assert_eq!((letters(0, 0), letters(1, 0)), (String::new(), "S".to_owned()));
        assert_eq!((letters(0b10010, 0b11000), letters(1 << 31, 0).len()), ("BF-S-".into(), 32));
    }

    #[test]
    fn rows_that_do_not_fit_are_counted() {
        let rows = ["a", "b", "c"].map(|text| html! { tr { td { (text) } } });
        let table = |most| table(&["x"], most, "none", rows.clone().into_iter()).into_string();
        let (whole, cut) = (table("<tr><td>a".len() * 3), table("<tr><td>a".len() * 3 - 1));
        assert!(
            whole.contains("<tr><td>b<tr><td>c</tbody>") && !whole.contains(" more"),
            "{whole}"
        );
        assert!(cut.contains("<td>b</tbody>") && cut.contains("… and 1 row more"), "{cut}");
    }
}
