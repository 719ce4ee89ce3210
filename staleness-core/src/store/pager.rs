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
    /// Creates a pager for the snapshot that ends with `revision`.
    pub fn new((revision, floor): (Revision, Floor), visit: V) -> Self {
        let blank = View { revision, floor, ..View::default() };
        Self { page: blank.clone(), blank, rows: 0, visit, flow: ControlFlow::Continue(()) }
    }

    /// Returns true if the visitor has seen enough.
    pub fn is_over(&self) -> bool {
        self.flow.is_break()
    }

    /// Returns the page for one more row.
    pub const fn page(&mut self) -> &mut View {
        self.rows += 1;
        &mut self.page
    }

    /// Ends a page of `most` rows.
    pub fn flow(&mut self, most: usize) -> ControlFlow<()> {
        if self.rows >= most {
            self.end();
        }
        self.flow
    }

    /// Ends the page of a collection.
    pub fn end(&mut self) {
        if mem::take(&mut self.rows) > 0 && !self.is_over() {
            let page = mem::replace(&mut self.page, self.blank.clone());
            self.flow = (self.visit)(page);
        }
    }
}
