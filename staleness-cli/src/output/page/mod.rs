//! `report`: builds an HTML page with all information. It makes no network requests, and its only script is
//! inline.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use staleness::Timestamp;
use staleness::report::{KnowledgeReport, ToolReport, WorkReport};
use staleness_core::journal::JournalEntry;
use staleness_core::report::SourceReport;
use staleness_core::text::counted;
use staleness_service::costs::Costs;
use staleness_service::when::ago;

use super::tools::{Matrix, cause, clients};
use super::work::what;
use super::{escape, reasons};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The SHA-256 of [`SCRIPT`], so that a browser does not run any other script.
const SCRIPT_DIGEST: &str = "KDz2Ag+GiBwF7q6NCOvgNvLjMY/eKmVWxaW9Pgj71tc=";
/// Maximum number of rows of a table.
const ROWS: usize = 5_000;
/// Maximum number of changes to list.
const CHANGES: usize = 500;

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

impl Page<'_> {
    /// Renders the page.
    pub(crate) fn render(&self) -> String {
        let policy = format!(
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_DIGEST}'"
        );
        let sections = [
            ("clients", "Clients and servers", self.matrix()),
            ("uses", "Uses of tools", self.uses()),
            ("tools", "Tools", self.tools()),
            ("changes", "Changed this week", self.changes()),
            ("documents", "Documents", items(self.documents, &self.checked)),
            ("knowledge", "Knowledge", items(self.knowledge, "Nothing is stored")),
            ("work", "Work", self.work()),
            ("cost", "Cost of a session", self.costs()),
        ];
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
        table(
            &heads,
            rows.len(),
            "No MCP server is known",
            html! {
                @for (name, states) in rows.iter().take(ROWS) {
                    tr { td { (escape(name)) } @for state in states { td.(state) { (state) } } }
                }
            },
        )
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
                (table(&["day", "succeeded", "failed"], self.days.len(), "", html! {
                    @for day in self.days { tr { td { (day.date) } td { (day.successes) } td { (day.failures) } } }
                }))
            }
        }
    }

    fn tools(&self) -> Markup {
        let used = |tool: &ToolReport| match tool.last_used_at {
            Some(at) => ago(self.now, at),
            None => "never".to_owned(),
        };
        let heads = ["tool", "status", "freshness", "latest uses", "last use", "clients", "why"];
        let rows = table(
            &heads,
            self.tools.len(),
            "No tool is known",
            html! {
                @for tool in self.tools.iter().take(ROWS) {
                    tr {
                        td { (escape(tool.key.name.as_str())) }
                        td.(tool.status_word.as_str()) { (tool.status_word.as_str()) }
                        td { (tool.verdict.score().map(|score| format!("{score:.2}")).unwrap_or_default()) }
                        td { (latest(&tool.outcomes)) }
                        td data-key=(tool.last_used_at.map_or(0, Timestamp::as_millis)) { (used(tool)) }
                        td { (clients(tool)) }
                        td { (reasons(&tool.verdict)) }
                    }
                }
            },
        );
        html! {
            (rows)
            p.faint { "Latest uses, oldest first: S success, F failure, I interrupted, O offline, U unknown." }
        }
    }

    fn changes(&self) -> Markup {
        let heads = ["when", "what", "change", "why"];
        let shown = &self.changes[..self.changes.len().min(CHANGES)];
        html! {
            (table(&heads, shown.len(), "Nothing changed", html! {
                @for entry in shown {
                    tr {
                        td data-key=(entry.at.as_millis()) { (ago(self.now, entry.at)) }
                        td { (entry.subject.kind.as_str()) " " (escape(&entry.subject.id)) }
                        td { (entry.action.as_str().replace('_', " ")) @if let Some(to) = &entry.to { ": " (to) } }
                        td { (escape(&cause(&entry.into()))) }
                    }
                }
            }))
            (more(self.changes.len() - shown.len()))
        }
    }

    fn work(&self) -> Markup {
        let heads = ["kind", "state", "id", "last activity", "text", "why"];
        table(
            &heads,
            self.work.len(),
            "No work is open",
            html! {
                @for item in self.work.iter().take(ROWS) {
                    tr {
                        td { (item.kind.as_str()) }
                        td { (item.status.as_str().replace('_', " ")) }
                        td { (escape(&item.key.to_string())) }
                        td data-key=(item.updated_at.as_millis()) { (ago(self.now, item.updated_at)) }
                        td { (escape(&what(item))) }
                        td.(item.verdict.word()) { (reasons(&item.verdict)) }
                    }
                }
            },
        )
    }

    fn costs(&self) -> Markup {
        let tokens =
            |tokens: Option<u64>| tokens.map_or_else(|| "unknown".into(), |it| it.to_string());
        let Costs { clients, unused, .. } = self.costs;
        html! {
            (table(&["client", "tokens", "of which unused"], clients.len(), "No client is known", html! {
                @for (name, cost) in clients {
                    tr { td { (name) } td { (tokens(cost.tokens)) } td { (tokens(cost.unused_tokens)) } }
                }
            }))
            h3 { "Not used" }
            (table(&["client", "tool", "last use", "tokens"], unused.len(), "No unused tool is known", html! {
                @for tool in unused.iter().take(ROWS) {
                    tr {
                        td { (tool.client) }
                        td { (escape(tool.key.name.as_str())) }
                        td data-key=(tool.last_used_at.map_or(0, Timestamp::as_millis)) { (tool.last_used_at.map_or_else(|| "never".into(), |at| ago(self.now, at))) }
                        td { (tokens(tool.tokens)) }
                    }
                }
            }))
            p.faint { "The tokens are " (self.costs.method) "." }
        }
    }
}

/// Returns the last letters of a tool's outcomes.
fn latest(outcomes: &str) -> &str {
    const LETTERS: usize = 16;
    outcomes.get(outcomes.len().saturating_sub(LETTERS)..).unwrap_or(outcomes)
}

/// Renders findings in documents, or items of knowledge.
fn items(items: &[KnowledgeReport], none: &str) -> Markup {
    table(
        &["place", "level", "freshness", "title", "why"],
        items.len(),
        none,
        html! {
            @for item in items.iter().take(ROWS) {
                tr {
                    td { (escape(&item.id)) }
                    td.(item.verdict.word()) { (item.verdict.word()) }
                    td { (item.verdict.score().map(|score| format!("{score:.2}")).unwrap_or_default()) }
                    td { (escape(&item.title)) }
                    td { (reasons(&item.verdict)) }
                }
            }
        },
    )
}

/// Renders a table that can be sorted, or a sentence if it has no rows.
fn table(heads: &[&str], rows: usize, none: &str, body: Markup) -> Markup {
    html! {
        @if rows == 0 { p { (none) "." } }
        @else {
            div.scroll {
                table {
                    thead { tr { @for head in heads { th scope="col" { button type="button" { (head) } } } } }
                    tbody { (body) }
                }
            }
            (more(rows.saturating_sub(ROWS)))
        }
    }
}

fn more(count: usize) -> Markup {
    html! { @if count > 0 { p.faint { "… and " (counted(count, "row", "rows")) " more" } } }
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
    fn the_latest_outcomes_are_the_last_ones() {
        assert_eq!(
            (latest("SF"), latest(&("F".repeat(9) + &"S".repeat(16)))),
            ("SF", &*"S".repeat(16))
        );
    }
}
