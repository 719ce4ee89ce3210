//! Work items, and the three indexes over those that have not ended.

use std::collections::BTreeSet;

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{Scope, WorkId, WorkKey};
use staleness_core::store::{StoreError, View, WorkFilter, pack, unpack};
use staleness_core::work::Work;

use super::rows::{Indexes, Rows, Stored, TEXT_PAGE, Words, keep_indexed, range};
use super::{Once, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{AGINGS, decode_work, encode_work, id, number};
use crate::tables::{AgingRef, Tx, WORK, WORK_AGING, WORK_OPEN, WORK_REFERRING, WorkRef};

impl Stored for Work {
    type Words = WorkRef;
    type Indexes<'t> = WorkIndexes<'t>;
    const ROWS: TableDefinition<'static, WorkRef, &'static [u8]> = WORK;
    const PAGE: usize = TEXT_PAGE;

    fn words(key: &WorkKey) -> Result<Words<'_, Self>, StoreError> {
        Ok((key.scope.as_key(), key.id.as_str()))
    }

    fn decode(&(scope, work): &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        let scope = id(scope, Scope::from_key, "scope")?;
        decode_work(WorkKey { scope, id: id(work, WorkId::new, "id")? }, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_work(self)
    }

    fn find(
        tx: &Tx,
        rows: &Rows<'_, Self>,
        filter: &WorkFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            WorkFilter::Scope(scope) => {
                let first = scope.as_key();
                range::<Self>(rows, (first, ""), |key| key.0 == first, view)
            }
            WorkFilter::Open(scope) => open(tx, scope, rows, view),
            WorkFilter::Referring { scope, to } => referring(tx, scope, to, rows, view),
            WorkFilter::Aging { scope, aging, until } => {
                let (scope, aging) = (scope.as_key(), number(&AGINGS, aging)?);
                let found = (scope, aging, i64::MIN, "")..(scope, aging, until.as_millis() + 1, "");
                for entry in table(tx, WORK_AGING)?.range(found).map_err(from_storage)? {
                    let (key, _) = entry.map_err(from_storage)?;
                    keep_indexed::<Self>(rows, &(scope, key.value().3), view)?;
                }
                Ok(())
            }
            WorkFilter::Key(_) | WorkFilter::All => Ok(()),
        }
    }
}

fn open(tx: &Tx, scope: &Scope, rows: &Rows<'_, Work>, view: &mut View) -> Result<(), StoreError> {
    let scope = scope.as_key();
    for entry in table(tx, WORK_OPEN)?.range((scope, "")..).map_err(from_storage)? {
        let (key, _) = entry.map_err(from_storage)?;
        if key.value().0 != scope {
            break;
        }
        keep_indexed::<Work>(rows, &key.value(), view)?;
    }
    Ok(())
}

/// What refers to any of `to`. Which rows do is decided on the index alone.
fn referring(
    tx: &Tx,
    scope: &Scope,
    to: &BTreeSet<String>,
    rows: &Rows<'_, Work>,
    view: &mut View,
) -> Result<(), StoreError> {
    let (scope, index) = (scope.as_key(), table(tx, WORK_REFERRING)?);
    for entry in index.range((scope, "")..).map_err(from_storage)? {
        let (key, refs) = entry.map_err(from_storage)?;
        let key = key.value();
        if key.0 != scope {
            break;
        }
        let refs: Vec<String> = unpack(refs.value())
            .ok_or_else(|| corrupt("work_referring", format_args!("{key:?}"), Bad("refs")))?;
        if refs.iter().any(|other| to.contains(other)) {
            keep_indexed::<Work>(rows, &key, view)?;
        }
    }
    Ok(())
}

/// What the indexes say of a work item.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    pub(crate) open: bool,
    /// The number of the way in which it ages, and since when.
    pub(crate) aging: Option<(u8, i64)>,
    /// To which others it refers, packed.
    pub(crate) referring: Option<String>,
}

impl Marks {
    pub(crate) fn of(row: &Work) -> Result<Self, StoreError> {
        let open = row.status.is_open();
        let aging = match row.aging() {
            Some((aging, since)) => Some((number(&AGINGS, &aging)?, since.as_millis())),
            None => None,
        };
        Ok(Self { open, aging, referring: (open && !row.refs.is_empty()).then(|| pack(&row.refs)) })
    }
}

/// The indexes, opened when they change.
pub(crate) struct WorkIndexes<'t> {
    open: Once<'t, WorkRef, ()>,
    aging: Once<'t, AgingRef, ()>,
    referring: Once<'t, WorkRef, &'static str>,
}

impl<'t> Indexes<'t, Work> for WorkIndexes<'t> {
    fn new(tx: &'t Tx) -> Self {
        Self {
            open: Once::new(tx, WORK_OPEN),
            aging: Once::new(tx, WORK_AGING),
            referring: Once::new(tx, WORK_REFERRING),
        }
    }

    fn change(&mut self, old: Option<&Work>, new: Option<&Work>) -> Result<(), StoreError> {
        let marks = |row: Option<&Work>| row.map_or_else(|| Ok(Marks::default()), Marks::of);
        let (before, after) = (marks(old)?, marks(new)?);
        let Some(key) = new.or(old).map(|row| &row.key) else { return Ok(()) };
        let key = (key.scope.as_key(), key.id.as_str());
        self.open.set(key, before.open, after.open)?;
        if before.referring != after.referring {
            let index = self.referring.open()?;
            match &after.referring {
                Some(refs) => index.insert(key, refs.as_str()).map(drop),
                None => index.remove(key).map(drop),
            }
            .map_err(from_storage)?;
        }
        if before.aging == after.aging {
            return Ok(());
        }
        for (marks, there) in [(&before, true), (&after, false)] {
            if let Some((aging, since)) = marks.aging {
                self.aging.set((key.0, aging, since, key.1), there, !there)?;
            }
        }
        Ok(())
    }
}
