//! Claims: agents that work on an item for a limited time.

use serde::{Deserialize, Serialize};

use super::{Work, WorkKind};
use crate::ids::{AgentId, SessionId};
use crate::journal::{Action, JournalEntry};
use crate::text::{IN_SESSION, holder};
use crate::time::Timestamp;

/// A claim on a work item: the agent that works on it, and the end of the claim.
///
/// An expired claim stays in the row until somebody claims or releases the item, because it shows who abandoned the
/// item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The agent that works on the item.
    pub agent: AgentId,
    /// The session in which the agent works. Each event of this session renews the claim. If no hook reports the
    /// session, each event of the agent's sessions that were running when the claim was made renews it.
    pub session: Option<SessionId>,
    /// The time at which the claim was made or last renewed.
    pub at: Timestamp,
    /// The time at which the claim ends unless it is renewed.
    pub until: Timestamp,
}

impl Claim {
    /// The maximum duration of a claim without renewal, in milliseconds.
    pub const MAX_MILLIS: i64 = 30 * Timestamp::DAY;

    /// Returns true if the claim holds the item at `now`.
    pub fn holds(&self, now: Timestamp) -> bool {
        now < self.until
    }

    /// Returns true if both claims belong to the same session of the same agent. False if there is no session, because
    /// the claimant is unknown.
    pub(crate) fn is_of_same(&self, other: &Self) -> bool {
        self.session.is_some() && (&self.agent, &self.session) == (&other.agent, &other.session)
    }

    /// Extends the claim: from `at`, it lasts as long as it did before. Never shortens it. Does nothing and returns
    /// false if less than a tenth of it has passed, to avoid a write at each event.
    pub(crate) fn renew(&mut self, at: Timestamp) -> bool {
        let length = self.until.millis_since(self.at);
        let is_due = at.millis_since(self.at) > length / 10;
        if is_due {
            self.at = at;
            self.until = self.until.max(at.plus_millis(length));
        }
        is_due
    }

    /// Ends the claim at `at`, because its session has ended. If the session continues, a renewal lasts as long as
    /// before. Returns false if the claim had already ended.
    pub(crate) fn end(&mut self, at: Timestamp) -> bool {
        let length = self.until.millis_since(self.at);
        let is_held = self.holds(at);
        if is_held {
            self.until = at;
            self.at = at.plus_millis(-length);
        }
        is_held
    }

    /// Returns the cause of a change in which an agent or a person ends the claim. `None` for its holder. An agent that
    /// names no session counts as the holder.
    pub(crate) fn ended_by(
        &self,
        agent: Option<&AgentId>,
        session: Option<&SessionId>,
    ) -> Option<String> {
        let is_holders =
            agent == Some(&self.agent) && (session.is_none() || session == self.session.as_ref());
        (!is_holders).then(|| format!("{HELD}{}", self.holder()))
    }

    /// Returns the cause of a change in which another agent takes an abandoned item.
    pub(crate) fn abandoned(&self) -> String {
        format!("{LEFT}{} at {}", self.holder(), self.until)
    }

    fn holder(&self) -> String {
        holder(self.agent.as_str(), self.session.as_ref().map(SessionId::as_str))
    }
}

/// The prefix of the cause of a change that ends the claim of another. The holder follows.
const HELD: &str = "held by ";
/// The prefix of the cause of a claim on an abandoned item. The former holder and the end of the former claim follow.
const LEFT: &str = "abandoned by ";

/// Returns the former holder of an item. `None` if the cause of the change does not name one.
pub fn holder_before(cause: &str) -> Option<&str> {
    let left = || Some(cause.strip_prefix(LEFT)?.rsplit_once(" at ")?.0);
    cause.strip_prefix(HELD).or_else(left)
}

/// Returns the time at which the former claim expired. `None` if the cause of the next claim does not name it.
pub(crate) fn ran_out(cause: &str) -> Option<Timestamp> {
    cause.strip_prefix(LEFT)?.rsplit_once(" at ")?.1.parse().ok()
}

/// The end of a claim that someone other than its holder caused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClaimEnd {
    /// The agent that ended the claim. `None` for a person.
    pub by: Option<AgentId>,
    /// The time at which the claim ended.
    pub at: Timestamp,
    /// True if the claim had expired and that agent claimed the item.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub taken_over: bool,
}

impl ClaimEnd {
    /// Returns the end of a claim recorded in a journal entry, if `is_holder` returns true for the former agent
    /// and session.
    pub(crate) fn of(
        entry: &JournalEntry,
        is_holder: impl FnOnce(&AgentId, Option<SessionId>) -> bool,
    ) -> Option<Self> {
        let holder = holder_before(&entry.cause)?;
        let mut names = serde_json::Deserializer::from_str(holder).into_iter();
        let agent: AgentId = names.next()?.ok()?;
        let session = holder.get(names.byte_offset()..)?.strip_prefix(IN_SESSION);
        let session = session.and_then(|id| serde_json::from_str(id).ok());
        let (by, at, taken_over) = (entry.actor.clone(), entry.at, entry.action == Action::Claimed);
        is_holder(&agent, session).then_some(Self { by, at, taken_over })
    }
}

/// A work item claimed by a session and then taken, released or ended by others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostClaim {
    /// The item, with the claim of the agent that took it, if any.
    pub work: Work,
    /// The end of the session's claim. `None` if another agent or session has taken the item.
    pub end: Option<ClaimEnd>,
}

impl WorkKind {
    /// Returns true if items of this kind are tasks to carry out, so that they can be claimed.
    pub const fn is_task(self) -> bool {
        matches!(self, Self::Plan | Self::Handoff)
    }
}

impl Work {
    /// Returns the claim that holds the item at `now`, if any.
    pub fn held(&self, now: Timestamp) -> Option<&Claim> {
        self.claim.as_ref().filter(|claim| self.status.is_open() && claim.holds(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ToolKey, ToolName};
    use crate::journal::Subject;

    #[test]
    fn a_renewal_lasts_as_long_as_before_and_never_shortens_a_claim() {
        let at = |minutes: i64| Timestamp::from_millis(minutes * Timestamp::MINUTE);
        let agent = AgentId::new("codex").expect("a name");
        let mut claim = Claim { agent, session: None, at: at(0), until: at(30) };
        assert!(claim.holds(at(29)) && !claim.holds(at(30)));
        assert!(claim.renew(at(20)));
        assert_eq!((claim.at, claim.until), (at(20), at(50)));
        // Earlier, and less than a tenth later.
        assert!(!claim.renew(at(10)) && !claim.renew(at(23)));
        assert_eq!((claim.at, claim.until), (at(20), at(50)));
        // Its session ended, and continues.
        assert!(claim.end(at(25)) && !claim.holds(at(25)) && !claim.end(at(26)));
        assert!(claim.renew(at(27)));
        assert_eq!((claim.at, claim.until), (at(27), at(57)));
    }

    #[test]
    fn a_holder_is_read_again_whatever_its_names_contain() {
        let at = Timestamp::from_millis(60_000);
        for (agent, session) in [
            ("codex", None),
            ("codex", Some("s-1")),
            (r#"a "b" \ c"#, Some(r#"x" in session "y "#)),
            ("a at b", Some("c at d")),
            ("\u{202e}\u{1f680}", Some("held by \"codex\"")),
        ] {
            let agent = AgentId::new(agent).expect("a name");
            let session = session.map(|id| SessionId::new(id).expect("an id"));
            let claim = Claim { agent, session, at, until: at };
            for cause in [claim.ended_by(None, None).expect("a person"), claim.abandoned()] {
                let subject =
                    Subject::tool(&ToolKey::global(ToolName::of_server("s").expect("a name")));
                let entry = JournalEntry::new(at, subject, Action::Released, cause);
                let is_holder = |agent: &AgentId, session: Option<SessionId>| {
                    (agent, &session) == (&claim.agent, &claim.session)
                };
                assert!(ClaimEnd::of(&entry, is_holder).is_some(), "{entry:?}");
            }
        }
    }
}
