//! Tests with modified table cells: unreadable data must be reported, other data stays readable, and nothing panics.

use std::ops::ControlFlow;
use std::sync::Arc;

use staleness_core::definition::DefinitionVersion;
use staleness_core::ids::{Level, SessionId, SourceId, ToolName};
use staleness_core::route::{Prompted, SuggestedTool};
use staleness_core::scan::Found;
use staleness_core::session::SessionKey;
use staleness_core::store::{Selection, StoreError};
use staleness_core::{Registry, Timestamp, Wait};

use crate::context::{act, everything};
use crate::life::{Life, VERBS};
use crate::rows::{Sample as _, source_id};
use crate::steps::Write;
use crate::support::scan;

/// A text that errors must not quote, unless it is part of the row's key.
pub const SECRET: &str = "do not repeat me";

/// Numbers at boundaries.
pub const NUMBERS: [i64; 9] =
    [0, 1, 2, -1, 256, 1_000_000_001, 253_402_300_800_000, i64::MAX, i64::MIN];

/// Texts that have a meaning in some column.
pub const TEXTS: [&str; 11] =
    ["", "[]", "{}", "[1]", "[{}]", "\u{7}", "p", "S", "done", "\\x", SECRET];

/// Byte strings that have a meaning in some column.
pub const BYTES: [&[u8]; 5] = [b"", &[1], &[0xff; 16], &[0xff; 136], SECRET.as_bytes()];

const LIFE: Life = Life(7);

/// Returns the stride of the changes to try: 8, or 1 if `STALENESS_CELLS` is set.
pub fn every() -> usize {
    if std::env::var_os("STALENESS_CELLS").is_some() { 1 } else { 8 }
}

/// Writes rows to every collection, through the registry or, where it has no verb, as samples.
///
/// # Panics
/// If a write fails.
pub fn fill(registry: &Registry) {
    (0..2 * VERBS).for_each(|turn| assert!(LIFE.turn(registry, turn).is_ok()));
    let at = Timestamp::from_millis(1_790_000_100_000);
    let tool = ToolName::new("mcp__one__read").expect("a valid name");
    let tools = vec![SuggestedTool { tool, route: None }];
    let asked = Prompted { at, query: None, tools, taught: Vec::new() };
    let id = SessionId::new("session-10").expect("a valid id");
    registry
        .sessions()
        .note_prompt(SessionKey { project: LIFE.project().id, id }, asked)
        .wait()
        .expect("it is noted");
    let says = serde_json::json!({ "description": "Reads" });
    let definition = says.as_object().map(DefinitionVersion::of).map(Arc::new);
    let found = Found::server_tool("one", "read").expect("a valid name");
    let found = vec![Found { definition, ..found }];
    let live = SourceId { level: Level::Live, ..source_id(None, "client", "tools") };
    scan(registry, LIFE.project(), [(live, found)], at).expect("it is applied");
    let (view, mut write) = (everything(registry.store()), Write::new());
    macro_rules! put {
        ($($rows:ident: $row:ty,)*) => {$(
            if view.$rows.is_empty() {
                write = write.put(<$row>::sample(Some("p"), "x"));
            }
        )*};
    }
    staleness_core::collections!(put);
    act(registry.store(), write);
}

/// A modified cell in a store filled by [`fill`].
#[derive(Clone, Copy, Debug)]
pub struct Changed<'a> {
    /// A description of the change, for failure messages.
    pub how: &'a str,
    /// The table of the cell.
    pub table: &'a str,
    /// True if the cell is part of the key, so that errors may quote it.
    pub is_key: bool,
}

impl Changed<'_> {
    /// Reads everything at once, page by page, and with a check, and then runs a life, which changes the
    /// store. An error about the cell must begin with its table; an error about relations may begin with one
    /// of `others`. Returns the number of reads that failed.
    ///
    /// # Panics
    /// If an error is not as expected, or a check accepts data that cannot be read.
    pub fn try_out(&self, registry: &Registry, others: &[&str]) -> usize {
        let said = read(registry);
        let errors = || said.iter().filter_map(|said| said.as_ref().err());
        for error in errors() {
            self.is_quiet(error);
            match error {
                StoreError::Corrupt(why) => {
                    let names_it = [self.table].iter().chain(others).any(|it| why.starts_with(it));
                    assert!(names_it, "{}: {why}", self.how);
                }
                StoreError::FormatTooNew { .. } | StoreError::FormatTooOld { .. } => {
                    assert_eq!(self.table, "meta");
                }
                other => panic!("{}: {other:?}", self.how),
            }
        }
        // If the check passes, everything must be readable.
        let [_, _, checked] = &said;
        assert!(checked.is_err() || said.iter().all(Result::is_ok), "{}: {said:?}", self.how);
        for turn in 2 * VERBS..3 * VERBS {
            let Err(error) = LIFE.turn(registry, turn) else { continue };
            self.is_quiet(&error);
            // If the check passes, only exhausted numbers may make an operation fail.
            let stops = matches!(error, StoreError::Corrupt(_) | StoreError::Backend(_));
            let ended = self.how.contains(&i64::MAX.to_string());
            assert!(checked.is_err() || !stops || ended, "{}: {error:?}", self.how);
        }
        errors().count()
    }

    /// Verifies that an error is one line and quotes nothing from the row except its key.
    fn is_quiet(&self, error: &impl std::fmt::Display) {
        let told = error.to_string();
        assert!(!told.contains(char::is_control), "{}: {told:?}", self.how);
        assert!(self.is_key || !told.contains(SECRET), "{}: {told:?}", self.how);
    }
}

/// Reads everything at once, everything page by page, and runs a check. Returns the three results.
pub fn read(registry: &Registry) -> [Result<(), StoreError>; 3] {
    let all = registry.store().view(Arc::new(Selection::everything())).wait().map(drop);
    let mut go_on = |_| ControlFlow::Continue(());
    let pages = registry.store().pages(&Selection::everything(), &mut go_on).wait();
    [all, pages, registry.store().check().wait()]
}
