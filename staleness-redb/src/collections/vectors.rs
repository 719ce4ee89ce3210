//! Vectors of routes.

use redb::{ReadableTable, TableDefinition};
use staleness_core::route::{RouteKey, RouteVector};
use staleness_core::store::{StoreError, VectorFilter, View};

use super::Collection;
use super::routes::{name, parts, route_key};
use super::rows::{Rows, Stored, Words, range};
use crate::codec::Bad;
use crate::error::from_storage;
use crate::records::{decode_vector, encode_vector};
use crate::tables::{RouteRef, Tx, VECTORS};

impl Stored for RouteVector {
    type Words = RouteRef;
    type Indexes<'t> = ();
    const ROWS: TableDefinition<'static, RouteRef, &'static [u8]> = VECTORS;
    // Each may be 32 KiB.
    const PAGE: usize = 200;

    fn words(key: &RouteKey) -> Result<Words<'_, Self>, StoreError> {
        Ok(parts(key))
    }

    fn decode(key: &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        decode_vector(route_key(*key)?, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_vector(self)
    }

    fn find(
        _: &Tx,
        rows: &Rows<'_, Self>,
        filter: &VectorFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        let (project, model) = match filter {
            VectorFilter::Tool(project, tool) => {
                let (project, tool) = (project.as_str(), tool.as_str());
                let within = |key: &Words<'_, Self>| (key.0, key.1) == (project, tool);
                return range::<Self>(rows, (project, tool, 0), within, view);
            }
            VectorFilter::Project(project) => {
                let first = project.as_str();
                return range::<Self>(rows, (first, "", 0), |key| key.0 == first, view);
            }
            VectorFilter::First(project, model) | VectorFilter::Model(project, model) => {
                (project.as_str(), model)
            }
            VectorFilter::Key(_) | VectorFilter::All => return Ok(()),
        };
        let is_first = matches!(filter, VectorFilter::First(..));
        for entry in rows.range((project, "", 0)..).map_err(from_storage)? {
            let (key, value) = entry.map_err(from_storage)?;
            if key.value().0 != project {
                break;
            }
            let row = <Self as Collection>::read(&key.value(), value.value())?;
            if row.model == *model {
                Self::keep(row, view);
                if is_first {
                    break;
                }
            }
        }
        Ok(())
    }

    fn name(key: &Words<'_, Self>) -> String {
        name(*key)
    }
}
