//! Vectors of routes.

use staleness_core::route::{Precision, RouteKey, RouteVector, Vector};
use staleness_core::store::{StoreError, VectorFilter, View};

use super::routes::{Routes, key};
use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

#[derive(Debug)]
pub(crate) struct Vectors;

impl Table for Vectors {
    type Row = RouteVector;
    type Key = RouteKey;
    type Filter = VectorFilter;

    const NAME: &'static str = "vectors";
    const COLUMNS: &'static str = "project, tool, id, model, form, numbers";
    const KEY: usize = 3;
    const ORDER: &'static str = "project, tool, id";

    fn key(filter: &VectorFilter) -> Option<&RouteKey> {
        match filter {
            VectorFilter::Key(key) => Some(key),
            _ => None,
        }
    }

    fn condition(filter: &VectorFilter) -> Result<Where, StoreError> {
        match filter {
            VectorFilter::First(project, model) => Ok(Where::new(
                "project = $2 AND model = $3 ORDER BY tool, id LIMIT 1",
                vec![Arg::text(project.as_str()), Arg::text(model.as_str())],
            )),
            VectorFilter::Model(project, model) => Ok(Where::new(
                "project = $2 AND model = $3",
                vec![Arg::text(project.as_str()), Arg::text(model.as_str())],
            )),
            VectorFilter::Tool(project, tool) => Ok(Where::new(
                "project = $2 AND tool = $3",
                vec![Arg::text(project.as_str()), Arg::text(tool.as_str())],
            )),
            VectorFilter::Project(project) => {
                Ok(Where::new("project = $2", vec![Arg::text(project.as_str())]))
            }
            VectorFilter::All => Ok(Where::new("", Vec::new())),
            _ => Err(StoreError::Unsupported("this filter of vectors")),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<RouteVector, Bad> {
        let key = key(cells)?;
        let model = cells.id("model")?;
        let precision = cells.parsed("form", |word: &str| {
            Precision::ALL.into_iter().find(|each| form(*each) == word)
        })?;
        let vector = Vector::from_bytes(cells.blob("numbers")?, precision);
        Ok(RouteVector { key, model, vector: vector.map_err(|_| Bad("numbers"))? })
    }

    fn put_key(key: &RouteKey, batch: &mut Batch) {
        Routes::put_key(key, batch);
    }

    fn key_of(row: &RouteVector) -> &RouteKey {
        &row.key
    }

    fn put(row: &RouteVector, batch: &mut Batch) {
        batch.text(row.model.as_str());
        batch.text(form(row.vector.precision()));
        batch.blob(row.vector.to_bytes());
    }

    fn keep(row: RouteVector, view: &mut View) {
        view.vectors.insert(&row);
    }
}

/// What a form is called.
const fn form(precision: Precision) -> &'static str {
    match precision {
        Precision::F32 => "f32 unit",
        Precision::F64 => "f64 unit",
    }
}
