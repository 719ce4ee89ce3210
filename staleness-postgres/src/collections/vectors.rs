//! Vectors of routes.

use staleness_core::route::{Precision, Route, RouteKey, RouteVector, Vector};
use staleness_core::store::VectorFilter;

use super::routes::key;
use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

impl Table for RouteVector {
    const TABLE: &'static str = "vectors";
    const COLUMNS: &'static str = "project, tool, id, model, form, numbers";
    const PAGE: usize = 200;
    const KEY: usize = 3;
    const ORDER: &'static str = "project, tool, id";

    fn condition(filter: &VectorFilter) -> Where {
        match filter {
            VectorFilter::First(project, model) => Where::new(
                "project = $2 AND model = $3 ORDER BY tool, id LIMIT 1",
                vec![Arg::text(project.as_str()), Arg::text(model.as_str())],
            ),
            VectorFilter::Model(project, model) => Where::new(
                "project = $2 AND model = $3",
                vec![Arg::text(project.as_str()), Arg::text(model.as_str())],
            ),
            VectorFilter::Tool(project, tool) => Where::new(
                "project = $2 AND tool = $3",
                vec![Arg::text(project.as_str()), Arg::text(tool.as_str())],
            ),
            VectorFilter::Project(project) => {
                Where::new("project = $2", vec![Arg::text(project.as_str())])
            }
            VectorFilter::Key(_) | VectorFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        let key = key(cells)?;
        let model = cells.id("model")?;
        let precision = cells.parsed("form", |word: &str| {
            Precision::ALL.into_iter().find(|each| form(*each) == word)
        })?;
        let vector = Vector::from_bytes(cells.blob("numbers")?, precision);
        Ok(Self { key, model, vector: vector.map_err(|_| Bad("numbers"))? })
    }

    fn put_key(key: &RouteKey, batch: &mut Batch) {
        Route::put_key(key, batch);
    }

    fn put(&self, batch: &mut Batch) {
        batch.text(self.model.as_str());
        batch.text(form(self.vector.precision()));
        batch.blob(self.vector.to_bytes());
    }
}

/// What a form is called.
const fn form(precision: Precision) -> &'static str {
    match precision {
        Precision::F32 => "f32 unit",
        Precision::F64 => "f64 unit",
    }
}
