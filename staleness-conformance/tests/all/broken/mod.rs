//! Stores that break one promise each, over the memory store.

mod rows;
mod store;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use staleness_conformance::{Backend, Capabilities, Place};
use staleness_core::MemoryStore;
use staleness_core::store::{RegistryStore, StoreError};

use store::Broken;

/// The promise that a store breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Journal entries are not written.
    ForgetsJournal,
    /// Pruned journal entries stay.
    KeepsPruned,
    /// Every commit raises the revision.
    RaisesAlways,
    /// Sequence numbers start again behind the greatest one that is left.
    ReusesSeqs,
    /// A commit does not tell the sequence numbers that were given.
    TellsNoSeqs,
    /// Limits of filters and cuts are ignored.
    IgnoresLimits,
    /// The last outcomes of a project are the latest by the clock.
    OrdersByClock,
    /// The scope of a tool's key is ignored.
    MixesScopes,
    /// Names of tools are compared as patterns.
    MatchesPatterns,
    /// Ops that were recorded are not found.
    ForgetsOps,
    /// Deleting a tool deletes its outcomes.
    DeletesAlong,
    /// A commit is written in two halves.
    WritesHalves,
    /// Reads, decides, and writes later.
    ReadsBeforeItLocks,
    /// Every look of a query sees another moment.
    LooksAtNow,
    /// A refused step leaves something behind.
    WritesWhenRefused,
    /// A panic in a step makes the store unusable.
    StaysPoisoned,
    /// Pages come twice.
    RepeatsPages,
    /// Everything comes as one page.
    SendsOnePage,
    /// Pages go on after a break.
    NeverStops,
    /// Nothing is there when it is opened again.
    ForgetsAll,
    /// Saving an item forgets its links.
    RewritesItems,
    /// A query may look as often as it likes.
    LooksForever,
    /// The key of an item is taken for its scope.
    MixesItems,
    /// Saving a document forgets what was found against it.
    ForgetsFindings,
    /// Saving a work item forgets what it refers to.
    ForgetsReferences,
    /// Work that has ended comes where only open work was asked for.
    ReturnsEnded,
    /// Work comes however young it is.
    IgnoresAges,
    /// A session that has ended goes on.
    ForgetsEnds,
    /// The session of one project is found in every other.
    MixesSessions,
    /// A cursor stands one revision before where it was put.
    MovesCursorsBack,
    /// The cursors of all agents of a project come for that of one.
    MixesAgents,
    /// The routes of all tools of a project come for those of one.
    MixesTools,
    /// The vectors of all tools of a project come for those of one.
    MixesVectors,
    /// The vectors of all models of a project come for those of one.
    MixesModels,
    /// Saving a route forgets which ops it learned from.
    ForgetsLessons,
    /// Saving a vector cuts off its last number.
    CutsVectors,
    /// The text of a prompt is not kept.
    ForgetsPrompts,
    /// The generation never moves.
    StandsStill,
    /// A view has the next revision, which nobody wrote.
    TellsAnother,
}

/// Memory stores by location, so that one can be opened again; each with the flaw, if any.
#[derive(Debug)]
pub(crate) struct Shared {
    flaw: Option<Flaw>,
    stores: Mutex<BTreeMap<String, MemoryStore>>,
    places: Mutex<u64>,
}

impl Shared {
    pub(crate) fn new(flaw: Option<Flaw>) -> Self {
        Self { flaw, stores: Mutex::default(), places: Mutex::default() }
    }
}

impl Backend for Shared {
    fn name(&self) -> &'static str {
        "broken on purpose"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            persistent: true,
            // The memory store lets nobody write during a view; only this flaw does.
            concurrent_readers: self.flaw == Some(Flaw::LooksAtNow),
            ..Capabilities::NONE
        }
    }

    fn place(&self) -> Place {
        let mut places = self.places.lock().unwrap();
        *places += 1;
        Place::new(places.to_string(), ())
    }

    fn open(&self, location: &str) -> Result<Arc<dyn RegistryStore>, StoreError> {
        let mut stores = self.stores.lock().unwrap();
        if self.flaw == Some(Flaw::ForgetsAll) {
            stores.remove(location);
        }
        let store = stores.entry(location.into()).or_default().clone();
        Ok(match self.flaw {
            Some(flaw) => Arc::new(Broken::new(flaw, store)),
            None => Arc::new(store),
        })
    }
}
