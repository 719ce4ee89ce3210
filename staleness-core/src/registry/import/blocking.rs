//! Importing for callers without an asynchronous runtime.

use pollster::block_on;

use super::{ImportReport, Importer, StatedItem, ToldRoute, ToldWork};
use crate::outcome::Outcome;
use crate::registry::{Act, BlockingRegistry, Use};
use crate::store::StoreError;
use crate::transfer::Record;

/// An [`Importer`] for callers without an asynchronous runtime.
#[derive(Debug)]
pub struct BlockingImporter {
    inner: Importer,
}

impl BlockingRegistry {
    /// Blocks on [`Registry::importer`](crate::Registry::importer).
    ///
    /// # Errors
    /// As the method it blocks on.
    pub fn importer(&self, dry_run: bool) -> Result<BlockingImporter, StoreError> {
        block_on(self.inner().importer(dry_run)).map(|inner| BlockingImporter { inner })
    }

    /// [`Registry::copier`](crate::Registry::copier).
    #[must_use]
    pub fn copier(&self) -> BlockingImporter {
        BlockingImporter { inner: self.inner().copier() }
    }

    /// Blocks on [`Registry::record_batch`](crate::Registry::record_batch).
    ///
    /// # Errors
    /// As the method it blocks on.
    pub fn record_batch(&self, uses: Vec<Use>, dry_run: bool) -> Result<Vec<Outcome>, StoreError> {
        block_on(self.inner().record_batch(uses, dry_run))
    }

    /// Blocks on [`Registry::import_items`](crate::Registry::import_items).
    ///
    /// # Errors
    /// As the method it blocks on.
    pub fn import_items(
        &self,
        items: Vec<StatedItem>,
        act: &Act,
        dry_run: bool,
    ) -> Result<usize, StoreError> {
        block_on(self.inner().import_items(items, act, dry_run))
    }

    /// Blocks on [`Registry::import_work`](crate::Registry::import_work).
    ///
    /// # Errors
    /// As the method it blocks on.
    pub fn import_work(
        &self,
        work: Vec<ToldWork>,
        act: &Act,
        dry_run: bool,
    ) -> Result<usize, StoreError> {
        block_on(self.inner().import_work(work, act, dry_run))
    }

    /// Blocks on [`Registry::import_routes`](crate::Registry::import_routes).
    ///
    /// # Errors
    /// As the method it blocks on.
    pub fn import_routes(
        &self,
        routes: Vec<ToldRoute>,
        dry_run: bool,
    ) -> Result<usize, StoreError> {
        block_on(self.inner().import_routes(routes, dry_run))
    }
}

impl BlockingImporter {
    /// Blocks on [`Importer::put`].
    ///
    /// # Errors
    /// As the method it blocks on.
    pub fn put(&mut self, record: Record) -> Result<(), StoreError> {
        block_on(self.inner.put(record))
    }

    /// Blocks on [`Importer::replace`].
    ///
    /// # Errors
    /// As the method it blocks on.
    pub fn replace(&mut self, record: Record, seen: &Record) -> Result<(), StoreError> {
        block_on(self.inner.replace(record, seen))
    }

    /// [`Importer::skip`].
    pub fn skip(&mut self, record: Record) {
        self.inner.skip(record);
    }

    /// Blocks on [`Importer::finish`].
    ///
    /// # Errors
    /// As the method it blocks on.
    pub fn finish(self) -> Result<ImportReport, StoreError> {
        block_on(self.inner.finish())
    }
}
