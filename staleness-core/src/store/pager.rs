//! Pages of rows, for [`RegistryStore::pages`](super::RegistryStore::pages).

use std::mem;
use std::ops::ControlFlow;

use super::View;
use crate::journal::{Floor, Revision};

/// Puts rows into pages, and passes each page to a visitor.
#[derive(Debug)]
pub struct Pager<V> {
    blank: View,
    page: View,
    rows: usize,
    visit: V,
    flow: ControlFlow<()>,
}

impl<V: FnMut(View) -> ControlFlow<()>> Pager<V> {
    /// Creates a pager for a snapshot with this revision and floor.
    pub fn new((revision, floor): (Revision, Floor), visit: V) -> Self {
        let blank = View { revision, floor, ..View::default() };
        Self { page: blank.clone(), blank, rows: 0, visit, flow: ControlFlow::Continue(()) }
    }

    /// Returns true if the visitor has asked to stop.
    pub fn is_over(&self) -> bool {
        self.flow.is_break()
    }

    /// Returns the page to which the caller must add one more row.
    pub const fn page(&mut self) -> &mut View {
        self.rows += 1;
        &mut self.page
    }

    /// Passes on the page if it has at least `most` rows. Breaks if the visitor has asked to stop.
    pub fn flow(&mut self, most: usize) -> ControlFlow<()> {
        if self.rows >= most {
            self.end();
        }
        self.flow
    }

    /// Passes on the last page of a collection, unless the page is empty.
    pub fn end(&mut self) {
        if mem::take(&mut self.rows) > 0 && !self.is_over() {
            let page = mem::replace(&mut self.page, self.blank.clone());
            self.flow = (self.visit)(page);
        }
    }
}
