//! Builds the reading of a source.

use std::collections::HashMap;
use std::path::Path;

use staleness_core::ids::{SourceId, ToolName};
use staleness_core::scan::{Found, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::tool::ListingState;

use staleness_docs::disk::shown;

/// Maximum number of entries per source, so that a cloned repository cannot fill the registry.
const MAX_FOUND: usize = 10_000;

/// Collects the entries and faults of a source.
#[derive(Debug)]
pub(crate) struct Draft {
    id: SourceId,
    path: String,
    note: First,
    refusal: Option<String>,
    fault: First,
    doubt: Option<ListingState>,
    left_out: usize,
    found: Vec<Found>,
    places: HashMap<ToolName, usize>,
}

/// The first of several messages, and the number of the others.
#[derive(Debug, Default)]
struct First {
    text: Option<String>,
    more: usize,
}

impl First {
    fn add(&mut self, text: impl FnOnce() -> String) {
        if self.text.is_none() {
            self.text = Some(text());
        } else {
            self.more += 1;
        }
    }

    fn told(self) -> Option<String> {
        self.text.map(|first| match self.more {
            0 => first,
            more => format!("{first} (and {more} more)"),
        })
    }
}

impl Draft {
    pub(crate) fn new(id: SourceId, path: &Path) -> Self {
        Self {
            id,
            path: shown(path),
            note: First::default(),
            refusal: None,
            fault: First::default(),
            doubt: None,
            left_out: 0,
            found: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Adds an entry. Of two with the same name, the first stays unless the second has a better state. Returns true if
    /// the entry was added.
    pub(crate) fn add(&mut self, found: Found) -> bool {
        match self.places.get(&found.name) {
            None if self.is_full() => {
                self.left_out += 1;
                return false;
            }
            None => {
                self.places.insert(found.name.clone(), self.found.len());
                self.found.push(found);
            }
            Some(&at) if found.state < self.found[at].state => self.found[at] = found,
            Some(_) => return false,
        }
        true
    }

    pub(crate) const fn id(&self) -> &SourceId {
        &self.id
    }

    /// Records a fault, such as a malformed entry. `text` is called only for the first one.
    pub(crate) fn fault(&mut self, text: impl FnOnce() -> String) {
        self.fault.add(text);
    }

    /// Records that a file is unreadable, so that it is uncertain which entries the client loads. Entries that seem to
    /// be loaded get `state`, and are marked as unsure.
    pub(crate) fn doubt(&mut self, why: &str, state: ListingState) {
        self.fault(|| why.to_owned());
        self.doubt = Some(state);
    }

    /// Records an irregularity that does not make the reading incomplete.
    pub(crate) fn note(&mut self, text: impl FnOnce() -> String) {
        self.note.add(text);
    }

    /// Removes entries that another source overrides.
    pub(crate) fn drop(&mut self, is_decided: impl Fn(&Found) -> bool) {
        self.found.retain(|found| !is_decided(found));
        let places = self.found.iter().enumerate().map(|(at, found)| (found.name.clone(), at));
        self.places = places.collect();
    }

    pub(crate) fn holds(&self, name: &ToolName) -> bool {
        self.places.contains_key(name)
    }

    /// Returns true if the limit is reached, so that entries with new names are left out.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= MAX_FOUND
    }

    /// Records the reason why the client rejects the file, whose entries are added as refused.
    pub(crate) fn refuse(&mut self, why: String) {
        self.refusal.get_or_insert(why);
    }

    /// Finishes a source that was read to its end.
    pub(crate) fn read(mut self) -> SourceReading {
        if let Some(state) = self.doubt {
            let loaded = |found: &&mut Found| found.state == ListingState::Configured;
            for found in self.found.iter_mut().filter(loaded) {
                (found.state, found.unsure) = (state, true);
            }
        }
        if self.left_out > 0 {
            let what = format!(
                "{} lists {} entries beyond the limit of {MAX_FOUND}",
                self.path, self.left_out
            );
            self.fault(|| what);
        }
        // A source made of several files may have entries from accepted ones.
        if self.fault.text.is_none()
            && self.found.iter().all(|found| found.state == ListingState::Refused)
            && let Some(why) = self.refusal.take()
        {
            return self.ended(SourceState::Refused, true, Some(why));
        }
        let fault = std::mem::take(&mut self.fault).told();
        let state = if fault.is_some() { SourceState::Partial } else { SourceState::Read };
        let notes = || std::mem::take(&mut self.note).told();
        let error = fault.or_else(|| self.refusal.take()).or_else(notes);
        self.ended(state, true, error)
    }

    /// Finishes a source with several locations. `seen` is true if any of them exists.
    pub(crate) fn finish(self, seen: bool, root_is_there: bool) -> SourceReading {
        match self.fault.text {
            None if !seen => self.missing(root_is_there),
            Some(ref why) if !seen && self.found.is_empty() => {
                let why = why.clone();
                self.failed(why)
            }
            _ => self.read(),
        }
    }

    /// Returns true if there are no entries and no faults.
    pub(crate) fn is_blank(&self) -> bool {
        self.found.is_empty() && self.fault.text.is_none()
    }

    /// Finishes a source that does not exist.
    pub(crate) fn missing(self, root_is_there: bool) -> SourceReading {
        Self { found: Vec::new(), ..self }.ended(SourceState::Missing, root_is_there, None)
    }

    /// Finishes a source that could not be read, with the reason.
    pub(crate) fn failed(self, why: String) -> SourceReading {
        Self { found: Vec::new(), ..self }.ended(SourceState::Failed, true, Some(why))
    }

    fn ended(
        self,
        state: SourceState,
        root_is_there: bool,
        error: Option<String>,
    ) -> SourceReading {
        let Self { id, path, found, .. } = self;
        SourceReading { id, path, state, root_is_there, error, found }
    }
}
