//! Suggestions made in a session, kept until an outcome shows whether they helped.

use serde::{Deserialize, Serialize};

use super::{Confidence, RouteId, RoutePolicy};
use crate::ids::{OpId, ToolName, WorkKey};
use crate::refusal::Conflict;
use crate::session::{OpenCall, SessionKey};
use crate::time::Timestamp;

/// The suggestions made in a session, its open calls, and the work that it claims. A small cache: only the claims stay
/// when the session ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suggestions {
    /// The session. It need not have a row of its own.
    pub key: SessionKey,
    /// The number of unsolicited suggestions made in the session, including dropped ones.
    pub made: u32,
    /// The last prompts, oldest first, at most [`Suggestions::MAX_PROMPTS`].
    #[serde(with = "crate::text::nested")]
    pub prompts: Vec<Prompted>,
    /// The calls that have begun and have no reported end, oldest first, at most [`Suggestions::MAX_CALLS`].
    #[serde(with = "crate::text::nested")]
    pub calls: Vec<OpenCall>,
    /// The work items that the session has claimed, with the times, at most [`Suggestions::MAX_CLAIMS`]. The items
    /// decide whether the claims are still valid.
    pub claims: Vec<(WorkKey, Timestamp)>,
}

/// One prompt and the suggestions made for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompted {
    /// The time at which the prompt was made.
    pub at: Timestamp,
    /// The query, truncated by [`Prompted::text`] or supplied by a caller. A user's words are stored only if
    /// the policy allows learning from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The suggested tools, best first, at most [`Suggestions::MAX_SUGGESTED`]. Empty if none matched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<SuggestedTool>,
    /// The tools from whose outcomes this prompt has learned, without duplicates, at most [`Suggestions::MAX_TAUGHT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taught: Vec<ToolName>,
}

/// A tool that was suggested, and the route that led to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuggestedTool {
    /// The tool.
    pub tool: ToolName,
    /// The learned route that led to the tool. `None` if only the description matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteId>,
}

/// A lesson: the effect of an outcome on a prompt of its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// The index of the prompt in the session.
    pub(crate) prompt: usize,
    /// The query to learn and its signal, 0..=1. `None` if the prompt has no query.
    pub(crate) learn: Option<(String, Confidence)>,
    /// The route that led to the tool, to be marked as used.
    pub(crate) route: Option<RouteId>,
}

impl Prompted {
    fn suggested(&self, tool: &ToolName) -> Option<&SuggestedTool> {
        self.tools.iter().find(|each| each.tool == *tool)
    }

    /// Returns true if an outcome may teach this prompt's query or refresh a route.
    fn can_teach(&self) -> bool {
        self.query.is_some() || self.tools.iter().any(|each| each.route.is_some())
    }
}

impl Suggestions {
    /// The maximum number of tools from whose outcomes one prompt learns.
    pub const MAX_TAUGHT: usize = 4;

    /// The maximum number of tools stored per suggestion.
    pub const MAX_SUGGESTED: usize = 8;

    /// The maximum number of prompts stored per session.
    pub const MAX_PROMPTS: usize = 4;

    /// The maximum number of open calls. The oldest is dropped first, and its outcome stays unknown.
    pub const MAX_CALLS: usize = 32;

    /// The maximum number of work items that a session may have claimed.
    pub const MAX_CLAIMS: usize = 32;

    /// Creates an empty record for a session.
    pub const fn new(key: SessionKey) -> Self {
        Self { key, made: 0, prompts: Vec::new(), calls: Vec::new(), claims: Vec::new() }
    }

    /// Records that a call has begun. May be repeated.
    pub fn begin(&mut self, call: OpenCall) {
        self.end(&call.op);
        self.calls.push(call);
        let over = self.calls.len().saturating_sub(Self::MAX_CALLS);
        self.calls.drain(..over);
    }

    /// Returns true if this call has begun and has no reported end.
    pub fn is_open(&self, op: &OpId) -> bool {
        self.calls.iter().any(|call| call.op == *op)
    }

    /// Removes a call whose end was reported.
    pub fn end(&mut self, op: &OpId) {
        self.calls.retain(|call| call.op != *op);
    }

    pub(crate) const fn is_full(&self) -> bool {
        self.claims.len() >= Self::MAX_CLAIMS
    }

    /// Records that the session has claimed a work item. May be repeated.
    ///
    /// # Errors
    /// If the session has claimed too many others.
    pub(crate) fn claim(&mut self, work: WorkKey, at: Timestamp) -> Result<(), Conflict> {
        self.claims.retain(|(known, _)| *known != work);
        if self.is_full() {
            return Err(Conflict::TooManyClaims { limit: Self::MAX_CLAIMS });
        }
        self.claims.push((work, at));
        Ok(())
    }

    /// Records a prompt and enforces the limits. Drops the lowest-ranked tools, and the oldest earlier prompt,
    /// preferably one that can no longer learn. The last prompt with a suggestion stays, because the cool-down counts
    /// from it.
    pub fn note(&mut self, mut prompted: Prompted) {
        prompted.tools.truncate(Self::MAX_SUGGESTED);
        prompted.taught.truncate(Self::MAX_TAUGHT);
        self.made = self.made.saturating_add(u32::from(!prompted.tools.is_empty()));
        self.prompts.push(prompted);
        while self.prompts.len() > Self::MAX_PROMPTS {
            let last = self.prompts.iter().rposition(|prompt| !prompt.tools.is_empty());
            let earlier = self.prompts[..self.prompts.len() - 1].iter().enumerate();
            let earlier = earlier.filter(|(at, _)| Some(*at) != last);
            let idle = earlier.clone().find(|(_, prompt)| !prompt.can_teach());
            let Some((goes, _)) = idle.or_else(|| earlier.clone().next()) else { return };
            self.prompts.remove(goes);
        }
    }

    /// Records suggestions that the agent requested. They do not count towards the limit on unsolicited ones.
    pub fn note_asked(&mut self, prompted: Prompted) {
        let made = self.made;
        self.note(prompted);
        self.made = made;
    }

    /// Returns the time of the last suggestion. `None` if there is none.
    pub fn last_suggested_at(&self) -> Option<Timestamp> {
        self.prompts.iter().rev().find(|prompt| !prompt.tools.is_empty()).map(|prompt| prompt.at)
    }

    /// Returns the time of the latest prompt, open call or claim. The Unix epoch if there is none.
    pub fn updated_at(&self) -> Timestamp {
        let calls = self.calls.iter().map(|call| call.at);
        let claims = self.claims.iter().map(|(_, at)| *at);
        self.prompts
            .iter()
            .map(|prompt| prompt.at)
            .chain(calls)
            .chain(claims)
            .max()
            .unwrap_or_default()
    }

    /// Returns the lesson of a tool's outcome. It applies to the last prompt that suggested the tool and can still
    /// learn from it, or else to the last prompt. `None` if there is nothing to learn or refresh.
    pub(crate) fn lesson(
        &self,
        tool: &ToolName,
        succeeded: bool,
        policy: &RoutePolicy,
    ) -> Option<Lesson> {
        let fresh = |prompt: &Prompted| !prompt.taught.contains(tool);
        let tells = |prompt: &Prompted| {
            let suggested = prompt.suggested(tool);
            suggested.is_some_and(|each| prompt.query.is_some() || each.route.is_some())
        };
        let suggested = self.prompts.iter().rposition(|prompt| tells(prompt) && fresh(prompt));
        let at = suggested.or_else(|| self.prompts.len().checked_sub(1))?;
        let prompt = &self.prompts[at];
        if prompt.taught.len() >= Self::MAX_TAUGHT || prompt.taught.contains(tool) {
            return None;
        }
        let signal = match (succeeded, suggested.is_some()) {
            (true, true) => policy.signal_suggested,
            (true, false) => policy.signal_other,
            (false, _) => policy.signal_failure,
        };
        let signal = Confidence::new(signal)?;
        let learn = prompt.query.clone().map(|query| (query, signal));
        let route = prompt.suggested(tool).and_then(|each| each.route).filter(|_| succeeded);
        (learn.is_some() || route.is_some()).then_some(Lesson { prompt: at, learn, route })
    }

    /// Returns all lessons that successive outcomes of a tool could produce, at most one per prompt.
    pub(crate) fn lessons(&self, tool: &ToolName, policy: &RoutePolicy) -> Vec<Lesson> {
        let mut left = self.clone();
        let mut all = Vec::new();
        while let Some(lesson) = left.lesson(tool, true, policy) {
            left.taught(lesson.prompt, tool);
            all.push(lesson);
        }
        all
    }

    /// Records that a prompt has learned from a tool's outcome.
    pub(crate) fn taught(&mut self, prompt: usize, tool: &ToolName) {
        if let Some(prompt) = self.prompts.get_mut(prompt) {
            prompt.taught.push(tool.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(at: i64, query: Option<&str>) -> Prompted {
        let tool = ToolName::new("merge").unwrap();
        Prompted {
            at: Timestamp::from_millis(at),
            query: query.map(str::to_owned),
            tools: vec![SuggestedTool { tool, route: None }],
            taught: Vec::new(),
        }
    }

    #[test]
    fn what_can_teach_nothing_does_not_push_out_what_can() {
        let project = crate::ids::ProjectId::of_root("/work/shop");
        let id = crate::ids::SessionId::new("s").unwrap();
        let mut session = Suggestions::new(SessionKey { project, id });
        let times = |session: &Suggestions| -> Vec<i64> {
            session.prompts.iter().map(|prompt| prompt.at.as_millis()).collect()
        };
        for (at, query) in [(0, None), (1, Some("bring it home")), (2, None), (3, None), (4, None)]
        {
            session.note_asked(prompt(at, query));
        }
        assert_eq!(times(&session), [1, 2, 3, 4]);
        for at in 5..9 {
            session.note_asked(prompt(at, None));
        }
        assert_eq!(times(&session), [1, 6, 7, 8]);
        // Among prompts that can teach, the oldest is dropped.
        for at in 9..13 {
            session.note_asked(prompt(at, Some("land it")));
        }
        assert_eq!(times(&session), [9, 10, 11, 12]);
        session.note_asked(prompt(13, None));
        assert_eq!(times(&session), [10, 11, 12, 13]);
    }

    #[test]
    fn prompts_that_suggest_nothing_do_not_end_a_cool_down() {
        let project = crate::ids::ProjectId::of_root("/work/shop");
        let id = crate::ids::SessionId::new("s").unwrap();
        for query in [None, Some("land it")] {
            let mut session =
                Suggestions::new(SessionKey { project: project.clone(), id: id.clone() });
            session.note(prompt(0, Some("bring it home")));
            session.note(prompt(1, query));
            for at in 2..9 {
                session.note(Prompted { tools: Vec::new(), ..prompt(at, Some("and now?")) });
                assert_eq!(session.last_suggested_at(), Some(Timestamp::from_millis(1)), "{at}");
                assert!(session.prompts.len() <= Suggestions::MAX_PROMPTS);
            }
            let times = session.prompts.iter().map(|prompt| prompt.at.as_millis());
            assert_eq!(times.collect::<Vec<_>>(), [1, 6, 7, 8], "the others go as before");
            // After the next suggestion this prompt is no longer protected.
            session.note(prompt(9, query));
            let times = session.prompts.iter().map(|prompt| prompt.at.as_millis());
            assert_eq!(times.collect::<Vec<_>>(), [6, 7, 8, 9]);
        }
    }
}
