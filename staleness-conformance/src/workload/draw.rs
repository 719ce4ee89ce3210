//! Values selected by bytes from small pools, so that they occur repeatedly.

use proptest::strategy::BoxedStrategy;
use staleness_core::Timestamp;
use staleness_core::ids::{AgentId, OpId, SessionId, ToolName};
use staleness_core::registry::Act;
use staleness_core::scan::ProjectRef;
use staleness_core::session::SessionKey;

use super::{Made, Workload};
use crate::arbitrary;

/// The project roots.
pub(super) const ROOTS: [&str; 2] = ["/work/a", "/work/b_"];
/// The tool names.
pub(super) const NAMES: [&str; 12] = [
    "Bash",
    "/review",
    "mcp__github__search",
    "mcp__github__read",
    "mcp__github__*",
    "mcp__my_server__run",
    "mcp__my__server__run",
    "mcp__claude_ai_Mail__read",
    "mcp__unheard_of__x",
    "kit@market",
    "a%b_c*",
    "\u{1f680}'",
];
/// Steps of time, in milliseconds. Some jump forwards or backwards.
const STEPS: [i64; 12] = [
    0,
    1,
    Timestamp::MINUTE,
    Timestamp::MINUTE,
    Timestamp::MINUTE,
    11 * Timestamp::MINUTE,
    Timestamp::HOUR,
    Timestamp::DAY,
    Timestamp::DAY,
    40 * Timestamp::DAY,
    -Timestamp::HOUR,
    -5 * Timestamp::DAY,
];

/// Returns the agent that reads changes.
pub(super) fn agent() -> AgentId {
    AgentId::new("agent").expect("a name")
}

/// Reads the bytes that select an event.
pub(super) struct Draw<'a> {
    pub(super) workload: &'a mut Workload,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Draw<'a> {
    pub(super) fn new(workload: &'a mut Workload, bytes: &'a [u8]) -> Self {
        Self { workload, bytes: bytes.iter() }
    }

    fn byte(&mut self) -> usize {
        self.bytes.next().copied().unwrap_or(0).into()
    }

    /// Returns a number below `end`, which is at most 256.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.byte() % end
    }

    pub(super) fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// Returns one of `all`, preferring earlier ones.
    pub(super) fn mostly_first<T: Clone>(&mut self, all: &[T]) -> T {
        let at = self.below(all.len()).min(self.below(all.len()));
        all[at.min(self.below(all.len()))].clone()
    }

    pub(super) fn maybe(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Returns `None` or a value.
    pub(super) fn perhaps<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.maybe().then(|| value(self))
    }

    /// Returns between one and `most` values.
    pub(super) fn some<T>(&mut self, most: usize, mut value: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..=self.below(most)).map(|_| value(self)).collect()
    }

    /// Returns a value of a strategy of [`arbitrary`].
    pub(super) fn any<T: std::fmt::Debug>(&mut self, of: &BoxedStrategy<T>) -> T {
        let seed = self.byte() << 8 | self.byte();
        arbitrary::value(of, seed as u32)
    }

    pub(super) fn project(&mut self) -> ProjectRef {
        ProjectRef::of_root(self.mostly_first(&ROOTS))
    }

    pub(super) fn tool(&mut self) -> ToolName {
        ToolName::new(self.mostly_first(&NAMES)).expect("a name")
    }

    pub(super) fn agent(&mut self) -> AgentId {
        AgentId::new(self.mostly_first(&["agent", "codex", "a%"])).expect("a name")
    }

    pub(super) fn session(&mut self) -> SessionId {
        SessionId::new(self.mostly_first(&["s1", "s_", "w%"])).expect("an id")
    }

    /// Usually returns one of the values created earlier, if there are any.
    pub(super) fn again<T: Clone>(&mut self, made: impl Fn(&Made) -> &[T]) -> Option<T> {
        let count = made(&self.workload.made).len();
        if count == 0 || self.below(6) == 5 {
            return None;
        }
        let at = self.below(count.min(256));
        made(&self.workload.made).get(at).cloned()
    }

    pub(super) fn session_key(&mut self) -> SessionKey {
        self.again(|made| &made.sessions).unwrap_or_else(|| self.new_session_key())
    }

    pub(super) fn new_session_key(&mut self) -> SessionKey {
        SessionKey { project: self.project().id, id: self.session() }
    }

    /// Returns an op id, usually a new one, sometimes one used before.
    pub(super) fn op(&mut self) -> OpId {
        self.workload.ops += 1;
        let ops = self.workload.ops;
        let number = if self.below(8) == 7 { self.below(ops.min(256)) } else { ops };
        OpId::new(format!("op{number}")).expect("an id")
    }

    pub(super) fn tick(&mut self) -> Timestamp {
        self.workload.now = self.workload.now.plus_millis(self.one_of(&STEPS));
        self.workload.now
    }

    pub(super) fn act(&mut self, at: Timestamp) -> Act {
        Act {
            session: self.perhaps(Self::session),
            actor: self.perhaps(Self::agent),
            note: self.perhaps(|_| "why\nnot".to_owned()),
            ..Act::new(self.op(), at)
        }
    }
}
