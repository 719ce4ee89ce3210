//! Where the rows of one scope lie in a table: whether to read them one by one, or all that lies there.

use rusqlite::Row;
use staleness_core::store::StoreError;

use super::one;
use crate::error::from_sqlite;
use crate::transaction::Transaction;

/// Where the rows of one scope lie in the file.
pub(crate) struct Extent {
    pub(crate) count: i64,
    pub(crate) first: i64,
    pub(crate) last: i64,
}

/// What asks a table for the extent of a scope, `?1`.
pub(crate) struct Looks {
    /// The numbers of the first and the last row of the table.
    pub(crate) ends: &'static str,
    /// Whether the scope has so many rows, `?2`.
    pub(crate) many: &'static str,
    /// The first row from number `?2` on: its number, and whether it is of the scope.
    pub(crate) probe: &'static str,
    /// How many rows the scope has, and between which they lie: reads its whole index.
    pub(crate) exact: &'static str,
}

/// Fewer rows are counted.
const MANY: i64 = 1_000;
/// At so many places a table is looked at where they are more.
const PROBES: i64 = 16;

impl Looks {
    /// Whether a scope has so many rows or more.
    pub(crate) fn has(
        &self,
        tx: &Transaction<'_>,
        scope: &str,
        rows: i64,
    ) -> Result<bool, StoreError> {
        one(tx, self.many, (scope, rows), |row| row.get(0))
    }
}

impl Extent {
    /// Whether they make up at least half of what lies between the first and the last.
    pub(crate) const fn is_dense(&self) -> bool {
        self.last.saturating_sub(self.first) / 2 < self.count
    }

    /// Of the rows of one scope; nothing where there are none. Of many that seem to be most of the table, that is the
    /// whole table, and the count a guess: to count them would take a good part of the time that reading them takes.
    pub(crate) fn of(
        tx: &Transaction<'_>,
        looks: &Looks,
        scope: &str,
    ) -> Result<Option<Self>, StoreError> {
        let ends = one(tx, looks.ends, (), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (Some(first), Some(last)) = ends else { return Ok(None) };
        let may_be_many = i64::checked_sub(last, first).is_some_and(|rows| rows >= MANY);
        if may_be_many && looks.has(tx, scope, MANY)? {
            let guessed = Self::guessed(tx, looks.probe, scope, (first, last))?;
            if guessed.is_dense() {
                return Ok(Some(guessed));
            }
        }
        let numbers = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let (count, first, last) = one(tx, looks.exact, (scope,), numbers)?;
        // SQLite finds no first of none.
        let extent = |(first, last)| Self { count, first, last };
        Ok(Option::zip(first, last).filter(|_| count > 0).map(extent))
    }

    fn guessed(
        tx: &Transaction<'_>,
        probe: &'static str,
        scope: &str,
        (first, last): (i64, i64),
    ) -> Result<Self, StoreError> {
        let rows = last - first;
        let hits = tx.with(probe, |statement| {
            let (mut hits, mut seen) = (0, None);
            for at in 0..PROBES {
                let place = first + rows / (PROBES - 1) * at;
                let found: (i64, bool) = statement
                    .query_row((scope, place), |row| Ok((row.get(0)?, row.get(1)?)))
                    .map_err(from_sqlite)?;
                // The row behind a gap is found from everywhere in it, and is one.
                let is_new = seen.replace(found.0) != Some(found.0);
                hits += i64::from(found.1 && is_new);
            }
            Ok(hits)
        })?;
        Ok(Self { count: rows / PROBES * hits, first, last })
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    const LOOKS: Looks = Looks {
        ends: "SELECT (SELECT min(rowid) FROM rows), (SELECT max(rowid) FROM rows)",
        many: "SELECT count(*) = ?2 FROM (SELECT 1 FROM rows WHERE scope = ?1 LIMIT ?2)",
        probe: "SELECT rowid, scope = ?1 FROM rows WHERE rowid >= ?2 ORDER BY rowid LIMIT 1",
        exact: "SELECT count(*), min(rowid), max(rowid) FROM rows WHERE scope = ?1",
    };

    /// What is found of the scope `p` in a table of which SQL says which rows it has, and which are of `p`.
    fn found(last: i64, is_there: &str, is_own: &str) -> Option<(i64, i64, i64)> {
        let conn = Connection::open_in_memory().unwrap();
        let fill = format!(
            "CREATE TABLE rows(scope TEXT NOT NULL); CREATE INDEX scopes ON rows(scope);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {last})
             INSERT INTO rows(rowid, scope) SELECT i, iif({is_own}, 'p', 'q') FROM n
             WHERE {is_there};"
        );
        conn.execute_batch(&fill).unwrap();
        let tx = Transaction::begin(&conn, "BEGIN", false).unwrap();
        let found = Extent::of(&tx, &LOOKS, "p").unwrap();
        found.map(|found| (found.count, found.first, found.last))
    }

    #[test]
    fn few_are_counted() {
        assert_eq!(found(0, "false", "false"), None);
        assert_eq!(found(5_000, "true", "false"), None);
        assert_eq!(found(500, "true", "i > 100"), Some((400, 101, 500)));
        assert_eq!(found(5_000, "true", "i BETWEEN 1 AND 999"), Some((999, 1, 999)));
        // Here and there, so that nearly every look meets one.
        assert_eq!(found(16_001, "true", "i % 1000 = 1"), Some((17, 1, 16_001)));
    }

    #[test]
    fn most_of_a_large_table_are_the_table() {
        assert_eq!(found(16_001, "true", "true"), Some((16_000, 1, 16_001)));
        assert_eq!(found(16_001, "true", "i > 2000"), Some((14_000, 1, 16_001)));
        assert_eq!(found(16_001, "true", "i > 9000"), Some((7_001, 9_001, 16_001)));
    }

    #[test]
    fn a_row_behind_a_gap_is_one_row() {
        let gap = "i <= 10000 OR i > 60000";
        assert_eq!(found(90_001, gap, "i = 60001"), Some((1, 60_001, 60_001)));
        let behind = "i BETWEEN 60001 AND 61500";
        assert_eq!(found(90_001, gap, behind), Some((1_500, 60_001, 61_500)));
    }
}
