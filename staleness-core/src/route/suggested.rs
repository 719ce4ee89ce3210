//! Suggestions made in a session, until an outcome says what they were worth.

use serde::{Deserialize, Serialize};

use super::{Confidence, RouteId, RoutePolicy};
use crate::ids::{OpId, ToolName};
use crate::session::{OpenCall, SessionKey};
use crate::time::Timestamp;

/// The suggestions made in a session, and the calls open in it: a small cache, gone when the session ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suggestions {
    /// The session. It need not be known by itself.
    pub key: SessionKey,
    /// The number of unasked suggestions made in it, including those that are forgotten.
    pub made: u32,
    /// The last prompts, oldest first, at most [`Suggestions::MAX_PROMPTS`].
    #[serde(with = "crate::text::nested")]
    pub prompts: Vec<Prompted>,
    /// The calls that have begun and whose end was not reported, oldest first, at most
    /// [`Suggestions::MAX_CALLS`].
    #[serde(with = "crate::text::nested")]
    pub calls: Vec<OpenCall>,
}

/// One prompt, and what was suggested for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompted {
    /// When.
    pub at: Timestamp,
    /// The question, as [`Prompted::text`] bounds it, or as a caller handed it in. A user's words
    /// are kept only if the policy says that they may be learned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The suggested tools, best first, at most [`Suggestions::MAX_SUGGESTED`]; none if none fits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<SuggestedTool>,
    /// The tools whose outcomes were learned from, at most [`Suggestions::MAX_TAUGHT`]: each is once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taught: Vec<ToolName>,
}

/// A tool that was suggested, and the route that led to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuggestedTool {
    /// The tool.
    pub tool: ToolName,
    /// The learned route, where it was not found by its description alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteId>,
}

/// A lesson that an outcome teaches about a prompt of its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// Which prompt.
    pub(crate) prompt: usize,
    /// The query to learn and its signal, 0..=1; `None` if the prompt has no query.
    pub(crate) learn: Option<(String, Confidence)>,
    /// The route that led to the tool: it was found, and then used.
    pub(crate) route: Option<RouteId>,
}

impl Prompted {
    /// The tool where it was suggested.
    fn suggested(&self, tool: &ToolName) -> Option<&SuggestedTool> {
        self.tools.iter().find(|each| each.tool == *tool)
    }

    /// Returns true if an outcome may teach something for it, or keep a route.
    fn can_teach(&self) -> bool {
        self.query.is_some() || self.tools.iter().any(|each| each.route.is_some())
    }
}

impl Suggestions {
    /// Tools whose outcomes one prompt learns from.
    pub const MAX_TAUGHT: usize = 4;

    /// Tools that are remembered of one suggestion.
    pub const MAX_SUGGESTED: usize = 8;

    /// Prompts of a session that are remembered.
    pub const MAX_PROMPTS: usize = 4;

    /// Open calls that are remembered. The oldest goes first: nothing is known of its end.
    pub const MAX_CALLS: usize = 32;

    /// A session in which nothing was suggested yet.
    #[must_use]
    pub const fn new(key: SessionKey) -> Self {
        Self { key, made: 0, prompts: Vec::new(), calls: Vec::new() }
    }

    /// Notes that a call has begun. May be repeated.
    pub fn begin(&mut self, call: OpenCall) {
        self.end(&call.op);
        self.calls.push(call);
        let over = self.calls.len().saturating_sub(Self::MAX_CALLS);
        self.calls.drain(..over);
    }

    /// Returns true if this call has begun and its end was not reported.
    #[must_use]
    pub fn is_open(&self, op: &OpId) -> bool {
        self.calls.iter().any(|call| call.op == *op)
    }

    /// Takes out the call whose end is known now.
    pub fn end(&mut self, op: &OpId) {
        self.calls.retain(|call| call.op != *op);
    }

    /// Notes a prompt; of what is over the bounds the least go, and of the earlier prompts the oldest one that
    /// no outcome can teach anything, before one that it can. The last one that suggested something stays:
    /// the cool-down counts from it.
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

    /// Notes what was suggested because it was asked for. What nobody asked for is limited, so this does
    /// not count there.
    pub fn note_asked(&mut self, prompted: Prompted) {
        let made = self.made;
        self.note(prompted);
        self.made = made;
    }

    /// When something was suggested last.
    #[must_use]
    pub fn last_suggested_at(&self) -> Option<Timestamp> {
        self.prompts.iter().rev().find(|prompt| !prompt.tools.is_empty()).map(|prompt| prompt.at)
    }

    /// When it was written last.
    #[must_use]
    pub fn updated_at(&self) -> Timestamp {
        let calls = self.calls.iter().map(|call| call.at);
        self.prompts.iter().map(|prompt| prompt.at).chain(calls).max().unwrap_or_default()
    }

    /// Returns the lesson of a tool's outcome for the last prompt that suggested it and can still
    /// learn from it, else for the last prompt. `None` if there is nothing to learn or to refresh.
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

    /// Returns the lessons that outcomes of a tool could teach one after the other, whatever they
    /// are: at most one for each prompt.
    pub(crate) fn lessons(&self, tool: &ToolName, policy: &RoutePolicy) -> Vec<Lesson> {
        let mut left = self.clone();
        let mut all = Vec::new();
        while let Some(lesson) = left.lesson(tool, true, policy) {
            left.taught(lesson.prompt, tool);
            all.push(lesson);
        }
        all
    }

    /// Notes that a lesson was learned.
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
        // Of those that can, the oldest goes.
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
            // The next suggestion takes its place, and it goes like any other.
            session.note(prompt(9, query));
            let times = session.prompts.iter().map(|prompt| prompt.at.as_millis());
            assert_eq!(times.collect::<Vec<_>>(), [6, 7, 8, 9]);
        }
    }
}
