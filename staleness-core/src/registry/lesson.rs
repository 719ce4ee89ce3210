//! Lessons from an outcome about the suggestions in its session.
//!
//! A use in a session without suggestions costs one extra read of a row; a use without a session costs none.

use super::routes::{Taught, teach};
use super::used::Use;
use crate::ids::{ServerKey, ToolKey, ToolName};
use crate::outcome::{Mark, OutcomeKind};
use crate::policy::RoutePolicy;
use crate::report::is_own_server;
use crate::route::{Lesson, Route, RouteKey, Suggestions};
use crate::store::{Draft, RouteFilter, Selection, View};
use crate::tool::{Tool, ToolKind};

/// Adds to `more` the routes that the uses may create or update.
pub(super) fn wanted(
    uses: &[Use],
    view: &View,
    policy: &RoutePolicy,
    mut more: Selection,
) -> Selection {
    if view.suggestions.is_empty() {
        return more;
    }
    for used in uses {
        let lessons = Lessons { used, policy };
        let suggestions = used.session_key().and_then(|key| view.suggestions.get(&key));
        let Some(suggestions) = suggestions else { continue };
        let mut names = used.names();
        names.extend(used.names_on_servers(view));
        for tool in lessons.tools(&names) {
            // An earlier use in the batch may change which lesson applies, so select the routes of all lessons.
            for lesson in suggestions.lessons(tool, policy) {
                more = lessons
                    .keys(tool, &lesson)
                    .into_iter()
                    .fold(more, |more, key| more.lock(RouteFilter::Key(key)));
            }
        }
    }
    more
}

/// Returns true if a tool with this name can be suggested: it is neither a server entry nor a tool of this program's
/// own server, not even in a plugin.
fn may_be_suggested(name: &ToolName) -> bool {
    let is_ours = |server: &ServerKey| is_own_server(server.as_str());
    !name.is_server_entry() && !ServerKey::owners_of(name.as_str()).iter().any(is_ours)
}

pub(super) struct Lessons<'a> {
    pub(super) used: &'a Use,
    pub(super) policy: &'a RoutePolicy,
}

impl Lessons<'_> {
    /// Returns the used tools that can be suggested: the tool itself, under each of its possible names, and those that
    /// it ran. Empty unless the use succeeded or failed.
    fn tools<'n>(&'n self, names: &'n [ToolName]) -> impl Iterator<Item = &'n ToolName> {
        let told = matches!(self.used.outcome, OutcomeKind::Success | OutcomeKind::Failure);
        let own = names.iter().filter(|name| {
            ToolKind::of_name(name.as_str()) != ToolKind::Builtin
                && self.used.kind != Some(ToolKind::Builtin)
        });
        own.chain(&self.used.mentions).filter(move |name| told && may_be_suggested(name))
    }

    fn taught<'t>(&'t self, tool: &'t ToolName, lesson: &'t Lesson) -> Option<Taught<'t>> {
        let (query, signal) = lesson.learn.as_ref()?;
        let (project, op) = (&self.used.project.id, Route::op(&self.used.op));
        Some(Taught { project, tool, query, signal: *signal, op, at: self.used.at })
    }

    /// Returns the routes that a lesson updates: the one for the query, and the one that led to the tool.
    fn keys(&self, tool: &ToolName, lesson: &Lesson) -> Vec<RouteKey> {
        let taught = self.taught(tool, lesson).map(|taught| taught.key());
        taught.into_iter().chain(self.led(tool, lesson)).collect()
    }

    fn led(&self, tool: &ToolName, lesson: &Lesson) -> Option<RouteKey> {
        let project = self.used.project.id.clone();
        lesson.route.map(|id| RouteKey { project, tool: tool.clone(), id })
    }

    /// Applies the lessons of the use to a draft. Uncounted outcomes, such as interruptions, have no effect.
    pub(super) fn learn(&self, draft: &mut Draft<'_>, mark: Mark) {
        let Some(key) = self.used.session_key().filter(|_| mark.is_counted()) else { return };
        let Some(mut suggestions) = draft.get::<Suggestions>(&key).cloned() else { return };
        for tool in self.tools(std::slice::from_ref(&self.used.tool)) {
            self.learn_of(draft, &mut suggestions, tool, mark == Mark::Success);
        }
        draft.put(suggestions);
    }

    fn learn_of(
        &self,
        draft: &mut Draft<'_>,
        suggestions: &mut Suggestions,
        tool: &ToolName,
        succeeded: bool,
    ) {
        let known = |kind: ToolKind| kind != ToolKind::Builtin;
        let mentioned = self.used.mentions.contains(tool);
        let tools = ToolKey::both(&self.used.project.id, tool);
        let mut kinds = tools.iter().filter_map(|key| draft.get::<Tool>(key)).map(|tool| tool.kind);
        // A mention is only a guess, so it counts only for a known tool.
        if !kinds.next().map_or(!mentioned, known) {
            return;
        }
        let Some(lesson) = suggestions.lesson(tool, succeeded, self.policy) else { return };
        let mut taught_something = succeeded;
        if let Some(taught) = self.taught(tool, &lesson) {
            // If no route learned from a failure, the prompt can still learn from the next attempt.
            taught_something |= draft.get::<Route>(&taught.key()).is_some();
            teach(draft, &taught, self.policy);
        }
        let op = Route::use_op(&self.used.op);
        if let Some(key) = self.led(tool, &lesson)
            && draft.get::<Route>(&key).is_some_and(|route| !route.remembers(op))
        {
            draft.edit::<Route, _>(&key, |route| route.touch(op, self.used.at));
        }
        if taught_something {
            suggestions.taught(lesson.prompt, tool);
        }
    }
}
