//! Work items.

use staleness_core::ids::{Scope, WorkKey};
use staleness_core::store::{StoreError, View, WorkFilter, pack, unpack_list};
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch, stored};

#[derive(Debug)]
pub(crate) struct Works;

impl Table for Works {
    type Row = Work;
    type Key = WorkKey;
    type Filter = WorkFilter;

    const NAME: &'static str = "work";
    const COLUMNS: &'static str = "scope, id, kind, status, ended, before, text, author, giver, \
        taker, note, generated, created_at, updated_at, expires_at, refs, steps, aging, since";
    const KEY: usize = 2;
    const ORDER: &'static str = "scope, id";

    fn key(filter: &WorkFilter) -> Option<&WorkKey> {
        match filter {
            WorkFilter::Key(key) => Some(key),
            _ => None,
        }
    }

    fn condition(filter: &WorkFilter) -> Result<Where, StoreError> {
        let of = |sql, scope: &Scope, rest: Vec<Arg>| {
            let args = std::iter::once(Arg::text(scope.as_key())).chain(rest).collect();
            Ok(Where::new(sql, args))
        };
        match filter {
            WorkFilter::Scope(scope) => of("scope = $2", scope, Vec::new()),
            WorkFilter::Open(scope) => of("scope = $2 AND ended = 0", scope, Vec::new()),
            WorkFilter::Aging { scope, aging, until } => of(
                "scope = $2 AND ended = 0 AND aging = $3 AND since <= $4",
                scope,
                vec![Arg::text(aging.as_str()), Arg::Int(until.as_millis())],
            ),
            // The text of a list holds the text of each of its members, and seldom another's:
            // `is_meant` looks again.
            WorkFilter::Referring { scope, to } => of(
                "scope = $2 AND ended = 0 AND refs <> '[]' AND EXISTS \
                 (SELECT FROM unnest($3) AS wanted WHERE strpos(refs, wanted) > 0)",
                scope,
                vec![Arg::Texts(
                    to.iter().map(|id| Some(stored(&pack(id)).into_owned())).collect(),
                )],
            ),
            WorkFilter::All => Ok(Where::new("", Vec::new())),
            _ => Err(StoreError::Unsupported("this filter of work items")),
        }
    }

    fn is_meant(filter: &WorkFilter, row: &Work) -> bool {
        match filter {
            WorkFilter::Referring { to, .. } => !row.refs.is_disjoint(to),
            _ => true,
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Work, Bad> {
        let key = WorkKey { scope: cells.scope("scope")?, id: cells.id("id")? };
        let kind = cells.parsed("kind", WorkKind::from_word)?;
        let status = cells.parsed("status", WorkStatus::from_word)?;
        // The filters trust it.
        if cells.flag("ended")? == status.is_open() {
            return Err(Bad("ended"));
        }
        let work = Work {
            key,
            kind,
            status,
            before: cells.maybe_parsed("before", WorkStatus::from_word)?,
            text: cells.string("text")?,
            author: cells.maybe_string("author")?,
            from: cells.maybe_string("giver")?,
            to: cells.maybe_string("taker")?,
            note: cells.parsed("note", NoteType::from_word)?,
            generated: cells.flag("generated")?,
            created_at: cells.time("created_at")?,
            updated_at: cells.time("updated_at")?,
            expires_at: cells.maybe_time("expires_at")?,
            refs: cells.parsed("refs", unpack_list)?,
            steps: cells.parsed("steps", unpack_list)?,
        };
        let aging = cells.maybe_text("aging")?;
        let since = cells.maybe_int("since")?;
        if (aging.as_deref(), since) == aged(&work).unzip() { Ok(work) } else { Err(Bad("aging")) }
    }

    fn put_key(key: &WorkKey, batch: &mut Batch) {
        batch.text(key.scope.as_key());
        batch.text(key.id.as_str());
    }

    fn key_of(row: &Work) -> &WorkKey {
        &row.key
    }

    fn put(row: &Work, batch: &mut Batch) {
        let (aging, since) = aged(row).unzip();
        batch.text(row.kind.as_str());
        batch.text(row.status.as_str());
        batch.flag(!row.status.is_open());
        batch.maybe_text(row.before.map(WorkStatus::as_str));
        batch.text(&row.text);
        batch.maybe_text(row.author.as_deref());
        batch.maybe_text(row.from.as_deref());
        batch.maybe_text(row.to.as_deref());
        batch.text(row.note.as_str());
        batch.flag(row.generated);
        batch.time(row.created_at);
        batch.time(row.updated_at);
        batch.maybe_time(row.expires_at);
        batch.text(&pack(&row.refs));
        batch.text(&pack(&row.steps));
        batch.maybe_text(aging);
        batch.maybe_int(since);
    }

    fn keep(row: Work, view: &mut View) {
        view.work.insert(row.key.clone(), row);
    }
}

/// What the columns `aging` and `since` say of a row.
fn aged(row: &Work) -> Option<(&'static str, i64)> {
    row.aging().map(|(aging, since)| (aging.as_str(), since.as_millis()))
}
