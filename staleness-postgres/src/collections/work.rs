//! Work items.

use staleness_core::ids::{Scope, WorkKey};
use staleness_core::store::{WorkFilter, pack, unpack_list};
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus};

use crate::cells::{Bad, Cells};
use crate::table::{TEXT_PAGE, Table, Where};
use crate::values::{Arg, Batch, stored};

impl Table for Work {
    const TABLE: &'static str = "work";
    const COLUMNS: &'static str = "scope, id, kind, status, ended, before, text, author, giver, \
        taker, note, generated, created_at, updated_at, expires_at, refs, steps, aging, since";
    const PAGE: usize = TEXT_PAGE;
    const KEY: usize = 2;
    const ORDER: &'static str = "scope, id";

    fn condition(filter: &WorkFilter) -> Where {
        let of = |sql, scope: &Scope, rest: Vec<Arg>| {
            let args = std::iter::once(Arg::text(scope.as_key())).chain(rest).collect();
            Where::new(sql, args)
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
            WorkFilter::Key(_) | WorkFilter::All => Where::new("", Vec::new()),
        }
    }

    fn is_meant(filter: &WorkFilter, row: &Self) -> bool {
        match filter {
            WorkFilter::Referring { to, .. } => !row.refs.is_disjoint(to),
            _ => true,
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        let key = WorkKey { scope: cells.scope("scope")?, id: cells.id("id")? };
        let kind = cells.parsed("kind", WorkKind::from_word)?;
        let status = cells.parsed("status", WorkStatus::from_word)?;
        // The filters trust it.
        if cells.flag("ended")? == status.is_open() {
            return Err(Bad("ended"));
        }
        let work = Self {
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

    fn put(&self, batch: &mut Batch) {
        let (aging, since) = aged(self).unzip();
        batch.text(self.kind.as_str());
        batch.text(self.status.as_str());
        batch.flag(!self.status.is_open());
        batch.maybe_text(self.before.map(WorkStatus::as_str));
        batch.text(&self.text);
        batch.maybe_text(self.author.as_deref());
        batch.maybe_text(self.from.as_deref());
        batch.maybe_text(self.to.as_deref());
        batch.text(self.note.as_str());
        batch.flag(self.generated);
        batch.time(self.created_at);
        batch.time(self.updated_at);
        batch.maybe_time(self.expires_at);
        batch.text(&pack(&self.refs));
        batch.text(&pack(&self.steps));
        batch.maybe_text(aging);
        batch.maybe_int(since);
    }
}

/// What the columns `aging` and `since` say of a row.
fn aged(row: &Work) -> Option<(&'static str, i64)> {
    row.aging().map(|(aging, since)| (aging.as_str(), since.as_millis()))
}
