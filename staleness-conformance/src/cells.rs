//! A cell of a table that somebody changed: what cannot be read is named, the rest is sound, and nothing panics.

use std::ops::ControlFlow;
use std::sync::Arc;

use staleness_core::definition::DefinitionVersion;
use staleness_core::ids::{Level, SessionId, SourceId, ToolName};
use staleness_core::route::{Prompted, SuggestedTool};
use staleness_core::scan::{Found, Scan, SourceReading};
use staleness_core::session::SessionKey;
use staleness_core::source::SourceState;
use staleness_core::store::{Selection, StoreError};
use staleness_core::{Registry, Timestamp, Wait};

use crate::life::{Life, VERBS};

/// A text that no error may repeat of a row, unless the row is found by it.
pub const SECRET: &str = "do not repeat me";

/// Numbers at which something ends.
pub const NUMBERS: [i64; 9] =
    [0, 1, 2, -1, 256, 1_000_000_001, 253_402_300_800_000, i64::MAX, i64::MIN];

/// Texts that mean something somewhere.
pub const TEXTS: [&str; 11] =
    ["", "[]", "{}", "[1]", "[{}]", "\u{7}", "p", "S", "done", "\\x", SECRET];

/// Bytes that mean something somewhere.
pub const BYTES: [&[u8]; 5] = [b"", &[1], &[0xff; 16], &[0xff; 136], SECRET.as_bytes()];

const LIFE: Life = Life(7);

/// Returns the stride of the changes that are tried: 4, or 1 where `STALENESS_CELLS` is set.
#[must_use]
pub fn every() -> usize {
    if std::env::var_os("STALENESS_CELLS").is_some() { 1 } else { 4 }
}

/// Writes rows of every collection, by verbs.
///
/// # Panics
/// When one fails.
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
    let live = SourceReading {
        id: SourceId {
            project: None,
            client: "client".into(),
            level: Level::Live,
            part: "tools".into(),
        },
        path: "one".into(),
        state: SourceState::Read,
        root_is_there: true,
        error: None,
        found: vec![Found { definition, ..found }],
    };
    let project = LIFE.project();
    let scan = Scan {
        read_under: registry.tools().readings(&project.id).wait().expect("they are counted"),
        project,
        sources: vec![live],
        indexes: Vec::new(),
        at,
        session: None,
        client: None,
    };
    registry.tools().apply_scan(scan).wait().expect("it is applied");
}

/// A change of one cell, in a store that [`fill`] filled.
#[derive(Clone, Copy, Debug)]
pub struct Changed<'a> {
    /// A description of the change, for the message of a test that fails.
    pub how: &'a str,
    /// The table it was done to.
    pub table: &'a str,
    /// True if rows are found by the cell, so that errors may tell it.
    pub is_key: bool,
}

impl Changed<'_> {
    /// Reads everything at once, page by page, and by a check, and then does what a life does, which changes the
    /// store. How many errors reading told. An error about a cell begins with its table; what does not fit
    /// together may begin with one of `others`.
    ///
    /// # Panics
    /// When an error is not what it should be, and when a check finds sound what cannot be read.
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
        // What has been read whole is sound.
        let [_, _, checked] = &said;
        assert!(checked.is_err() || said.iter().all(Result::is_ok), "{}: {said:?}", self.how);
        for turn in 2 * VERBS..3 * VERBS {
            let Err(error) = LIFE.turn(registry, turn) else { continue };
            self.is_quiet(&error);
            // Of what a check finds sound only numbers that have reached their end stop a verb.
            let stops = matches!(error, StoreError::Corrupt(_) | StoreError::Backend(_));
            let ended = self.how.contains(&i64::MAX.to_string());
            assert!(checked.is_err() || !stops || ended, "{}: {error:?}", self.how);
        }
        errors().count()
    }

    /// An error is one plain line, and holds nothing of the row but its key.
    fn is_quiet(&self, error: &impl std::fmt::Display) {
        let told = error.to_string();
        assert!(!told.contains(char::is_control), "{}: {told:?}", self.how);
        assert!(self.is_key || !told.contains(SECRET), "{}: {told:?}", self.how);
    }
}

/// Everything at once, everything page by page, and a check.
///
/// # Errors
/// Each what the store reports.
pub fn read(registry: &Registry) -> [Result<(), StoreError>; 3] {
    let all = registry.store().view(Arc::new(Selection::everything())).wait().map(drop);
    let mut go_on = |_| ControlFlow::Continue(());
    let pages = registry.store().pages(&Selection::everything(), &mut go_on).wait();
    [all, pages, registry.store().check().wait()]
}
