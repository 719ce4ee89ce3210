//! Vectors of routes.

use staleness_core::ids::ModelId;
use staleness_core::route::{Precision, RouteKey, RouteVector, Vector};
use staleness_core::store::{StoreError, VectorFilter, View};

use super::execute;
use super::routes::{key, parts};
use super::table::{Statements, Table, Visit, of_first, rows, statements};
use crate::cells::{Bad, Cells};
use crate::transaction::Transaction;

statements! {
    vectors: project tool id; model form numbers;
    OF_TOOL " WHERE project = ?1 AND tool = ?2"
    FIRST " WHERE project = ?1 AND model = ?2 ORDER BY tool, id LIMIT 1"
    OF_MODEL " WHERE project = ?1 AND model = ?2"
}

impl Table for RouteVector {
    type Columns<'k> = (&'k str, &'k str, [u8; 16]);

    // Each may be 32 KiB.
    const PAGE: usize = 200;

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &RouteKey) -> Self::Columns<'_> {
        parts(key)
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        let key = key(cells)?;
        let model = cells.parsed("model", ModelId::new)?;
        let precision = precision(cells.str("form")?)?;
        let vector = Vector::from_bytes(cells.blob("numbers")?, precision);
        Ok(Self { key, model, vector: vector.map_err(|_| Bad("numbers"))? })
    }

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let (project, tool, id) = parts(&self.key);
        let form = form(self.vector.precision());
        let params = (project, tool, id, self.model.as_str(), form, self.vector.to_bytes());
        execute(tx, SQL.put, params).map(drop)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &VectorFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            VectorFilter::First(project, model) => {
                rows(tx, FIRST, (project.as_str(), model.as_str()), visit)
            }
            VectorFilter::Tool(project, tool) => {
                rows(tx, OF_TOOL, (project.as_str(), tool.as_str()), visit)
            }
            VectorFilter::Model(project, model) => {
                rows(tx, OF_MODEL, (project.as_str(), model.as_str()), visit)
            }
            VectorFilter::Project(project) => of_first(tx, project.as_str(), visit),
            VectorFilter::Key(_) | VectorFilter::All => Ok(()),
        }
    }
}

/// What a form is called.
const fn form(precision: Precision) -> &'static str {
    match precision {
        Precision::F32 => "f32 unit",
        Precision::F64 => "f64 unit",
    }
}

fn precision(word: &str) -> Result<Precision, Bad> {
    Precision::ALL.into_iter().find(|each| form(*each) == word).ok_or(Bad("form"))
}
