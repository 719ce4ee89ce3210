//! The reference: all states of a store that runs only one life.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use staleness_core::store::{Commit, Durability, RegistryStore, Selection, Step, StoreError, View};
use staleness_core::{MemoryStore, Policy, Registry};

use super::Life;
use crate::context::{Handle, bare};
use crate::wrappers::{Around, Manner};

/// The memory store after a commit with changes.
#[derive(Clone, Debug)]
pub struct State {
    /// All stored data.
    pub view: View,
    /// The durability of the commit.
    pub durability: Durability,
}

/// The states of the memory store in order, and the state at the end of each turn.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The states, starting with the empty store.
    pub states: Vec<State>,
    /// For each turn, the number of commits at its end.
    pub ends: Vec<usize>,
}

impl Reference {
    /// Runs the first turns of a life on the memory store.
    ///
    /// # Panics
    /// If the memory store fails.
    pub fn of(life: Life, turns: u64) -> Self {
        let empty = State { view: View::default(), durability: Durability::Full };
        let states = States(Mutex::new(vec![empty]));
        let store = Arc::new(Around::of(Arc::new(MemoryStore::new()), states));
        let handle: Handle = Arc::<Around<States>>::clone(&store);
        let registry = Registry::new(handle, Policy::default());
        let ends = (0..turns).map(|turn| {
            life.turn(&registry, turn)
                .unwrap_or_else(|error| panic!("turn {turn} on the memory store: {error}"));
            store.manner().all().len() - 1
        });
        let ends = ends.collect();
        Self { states: store.manner().all().clone(), ends }
    }

    /// Returns the index of the state at the beginning of a turn.
    pub fn before(&self, turn: usize) -> usize {
        turn.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// Returns the index of the view among the states `from` to `to`, both included.
    pub fn find(&self, view: &View, from: usize, to: usize) -> Option<usize> {
        let view = bare(view.clone());
        (from..=to.min(self.states.len() - 1)).rev().find(|at| self.states[*at].view == view)
    }
}

/// Records the state after every commit with changes.
#[derive(Debug)]
struct States(Mutex<Vec<State>>);

impl States {
    fn all(&self) -> std::sync::MutexGuard<'_, Vec<State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Manner for States {
    async fn transact(
        &self,
        inner: &dyn RegistryStore,
        step: Arc<dyn Step>,
    ) -> Result<Commit, StoreError> {
        let durability = step.durability();
        let commit = inner.transact(step).await?;
        if !commit.changes.is_empty() {
            let view = inner.view(Arc::new(Selection::everything())).await?;
            self.all().push(State { view: bare(view), durability });
        }
        Ok(commit)
    }
}
