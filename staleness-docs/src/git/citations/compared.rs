//! Compares versions of a cited file for all of its citations at once.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use staleness_core::knowledge::Cited;

use super::query::{CitationQuery, Cite};
use super::room::{Citations, Full, Room};
use super::version::{Matched, Version, is_telling};
use crate::git::history::between;
use crate::git::objects::{Commit, Oid, TrackedKind};
use crate::git::process::GitError;

/// A citation of lines or a symbol in a file that still exists.
pub(crate) struct Case<'a> {
    /// Index of the query.
    pub(crate) at: usize,
    pub(crate) query: &'a CitationQuery<'a>,
    /// The commit of the verification, and its index in the list of commits.
    pub(crate) anchor: Option<(Oid, Option<usize>)>,
    /// The lines in the verified version, counted from 0, if the digest located them. `None` if the line numbers of the
    /// citation apply.
    pub(crate) lines: Option<Range<usize>>,
}

/// The citations that were verified against one version of one file.
pub(crate) struct Cases<'a> {
    pub(crate) path: &'a str,
    /// The verified version. `None` if the file is newer than the citations.
    pub(crate) then: Option<Oid>,
    /// The version in the checked-out commit.
    pub(crate) now: Oid,
    pub(crate) cases: &'a [Case<'a>],
}

/// State of a citation in another version of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Same,
    Changed,
    Gone(Cited),
    Unknown,
}

/// The search for the commit that changed a cited part.
struct Search<'a> {
    case: &'a Case<'a>,
    /// The cited lines in the verified version, counted from 0. `None` for a symbol with no clear end.
    lines: Option<Range<usize>>,
    /// State in the checked-out commit.
    now: State,
    changed: usize,
    same: usize,
    lost: bool,
}

impl Citations<'_> {
    /// Answers the citations of one file that were verified against the same version.
    pub(crate) fn compare(
        &mut self,
        file: &Cases<'_>,
        answers: &mut [Cite],
    ) -> Result<(), GitError> {
        let Some(text) = self.cited_text(file.now)? else { return Ok(()) };
        let mut newer = Version::new(&text);
        let Some(then) = file.then else {
            // The file is newer than the citation, so only missing parts can be reported.
            for case in file.cases {
                if let Ok(lack) = newer.lack(case.query.citation, self.room) {
                    answers[case.at] = lack.map_or(Cite::Holds, Cite::NeverThere);
                } else {
                    self.history.cut = true;
                }
            }
            return Ok(());
        };
        let earlier = if then == file.now { None } else { Some(self.cited_text(then)?) };
        let bytes = match &earlier {
            Some(Some(bytes)) => bytes,
            Some(None) => return Ok(()),
            None => &text,
        };
        let mut older = Version::new(bytes);
        let (mut matched, mut searches) = (None, Vec::new());
        for case in file.cases {
            let seen = case.lines.clone().map(|lines| Ok(Ok(Some(lines))));
            let part = || older.part(&mut newer, case.query.citation, self.room);
            let lines = match seen.unwrap_or_else(part) {
                Ok(Ok(lines)) => lines,
                Ok(Err(answer)) => {
                    answers[case.at] = answer;
                    continue;
                }
                Err(Full) => {
                    self.history.cut = true;
                    continue;
                }
            };
            let (changed, lost) = (0, false);
            let mut search = Search { case, lines, now: State::Same, changed, same: 0, lost };
            if then != file.now {
                search.now = self.state(&search, &older, &mut newer, &mut matched);
            }
            match search.now {
                State::Same => answers[case.at] = Cite::Holds,
                State::Unknown => {}
                State::Changed | State::Gone(_) => searches.push(search),
            }
        }
        drop((newer, matched));
        self.first_changes(file, &older, &mut searches)?;
        for search in searches {
            let commit = match search.lost {
                true => None,
                false => self.history.past()?.commits.get(search.changed).copied(),
            };
            answers[search.case.at] = match search.now {
                State::Gone(gone) => Cite::Missing { gone, renamed_to: None, commit },
                _ => {
                    let days_after = self.days_after(search.case, commit)?;
                    Cite::Changed { commit, days_after }
                }
            };
        }
        Ok(())
    }

    fn days_after(
        &mut self,
        case: &Case<'_>,
        commit: Option<Commit>,
    ) -> Result<Option<i64>, GitError> {
        let (Some(changed), Some((verified, _))) = (commit, case.anchor) else { return Ok(None) };
        let at = self.moment(case.query.verified, verified)?;
        Ok(Some(changed.at.days_since(at)))
    }

    /// Returns the state of a citation in a version. The lines are matched only when a citation needs it.
    fn state<'t>(
        &mut self,
        search: &Search<'t>,
        older: &Version<'_>,
        newer: &mut Version<'t>,
        matched: &mut Option<Matched>,
    ) -> State {
        let state = search.state(older, newer, matched, self.room);
        self.history.cut |= state.is_err();
        state.unwrap_or(State::Unknown)
    }

    /// Finds for each citation the first commit after the verification that changed the cited part. Bisects
    /// the list of commits for all citations together.
    fn first_changes<'a>(
        &mut self,
        file: &Cases<'a>,
        older: &Version<'a>,
        searches: &mut [Search<'a>],
    ) -> Result<(), GitError> {
        for search in &mut *searches {
            match search.case.anchor {
                Some((_, Some(place))) => search.same = place,
                _ => search.lost = true,
            }
        }
        let mut known = HashMap::new();
        // A commit that is not in the list may differ from the listed commit of the same time.
        let begin: Vec<_> = open_searches(searches, |search| Some(search.same)).collect();
        for (at, state) in self.states(file, older, searches, begin, &mut known)? {
            searches[at].lost = state != State::Same;
        }
        loop {
            let next = |search: &Search<'_>| between(search.changed, search.same);
            let round: Vec<_> = open_searches(searches, next).collect();
            if round.is_empty() {
                return Ok(());
            }
            let places: HashMap<usize, usize> = round.iter().copied().collect();
            for (at, state) in self.states(file, older, searches, round, &mut known)? {
                match state {
                    State::Same => searches[at].same = places[&at],
                    State::Unknown => searches[at].lost = true,
                    State::Changed | State::Gone(_) => searches[at].changed = places[&at],
                }
            }
        }
    }

    /// Returns the states of citations at some commits. Many commits share a version, so states are cached in
    /// `known`.
    fn states<'a>(
        &mut self,
        file: &Cases<'a>,
        older: &Version<'a>,
        searches: &[Search<'a>],
        asked: Vec<(usize, usize)>,
        known: &mut HashMap<(usize, Oid), State>,
    ) -> Result<Vec<(usize, State)>, GitError> {
        let count = self.history.past()?.commits.len();
        let mut states = Vec::with_capacity(asked.len());
        let mut held = HashMap::new();
        let mut versions: BTreeMap<Oid, Vec<usize>> = BTreeMap::new();
        for (at, place) in asked {
            if place >= count {
                states.push((at, State::Unknown));
                continue;
            }
            let there = match held.get(&place) {
                Some(there) => *there,
                None => {
                    let there = self.history.held_at(place, file.path)?;
                    held.insert(place, there);
                    there
                }
            };
            match there {
                Some((TrackedKind::File, id)) if Some(id) == file.then => {
                    states.push((at, State::Same));
                }
                Some((TrackedKind::File, id)) if id == file.now => {
                    states.push((at, searches[at].now));
                }
                Some((TrackedKind::File, id)) => match known.get(&(at, id)) {
                    Some(state) => states.push((at, *state)),
                    None => versions.entry(id).or_default().push(at),
                },
                _ => states.push((at, State::Gone(Cited::Path))),
            }
        }
        for (id, all) in versions {
            let text = self.cited_text(id)?;
            let mut version = text.as_deref().map(Version::new);
            let mut matched = None;
            for at in all {
                let state = match &mut version {
                    Some(version) => self.state(&searches[at], older, version, &mut matched),
                    None => State::Unknown,
                };
                known.insert((at, id), state);
                states.push((at, state));
            }
        }
        Ok(states)
    }
}

/// Returns the open searches, each with the index of the commit to check.
fn open_searches(
    searches: &[Search<'_>],
    place: impl Fn(&Search<'_>) -> Option<usize>,
) -> impl Iterator<Item = (usize, usize)> {
    let open = searches.iter().enumerate().filter(|(_, search)| !search.lost);
    open.filter_map(move |(at, search)| Some((at, place(search)?)))
}

impl<'t> Search<'t> {
    fn state<'n>(
        &self,
        older: &Version<'_>,
        newer: &mut Version<'n>,
        matched: &mut Option<Matched>,
        room: &mut Room,
    ) -> Result<State, Full>
    where
        't: 'n,
    {
        let citation = self.case.query.citation;
        if let Some(symbol) = &citation.symbol
            && !newer.holds(symbol, room)?
        {
            return Ok(State::Gone(Cited::Symbol));
        }
        let Some(lines) = self.lines.clone() else { return Ok(State::Same) };
        let matched = match matched {
            Some(matched) => matched,
            None => {
                room.take(older.bytes.len() + newer.bytes.len())?;
                matched.insert(Matched::new(older, newer))
            }
        };
        room.take(lines.len())?;
        if matched.kept(lines.clone()).is_some() {
            return Ok(State::Same);
        }
        // Look for the lines elsewhere if they are distinctive enough to recognise.
        if is_telling(&older.lines[lines.clone()])
            && matched.old.may_compare(lines.len(), &matched.new)
        {
            room.take(lines.len().saturating_mul(matched.old.len() + matched.new.len()))?;
            if matched.old.as_often(lines.clone(), &matched.new) {
                return Ok(State::Same);
            }
        }
        if citation.symbol.is_none() && lines.start >= matched.new.len() {
            return Ok(State::Gone(Cited::Lines));
        }
        Ok(State::Changed)
    }
}
