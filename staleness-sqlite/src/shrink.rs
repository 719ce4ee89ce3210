//! Giving pages that hold nothing any more back to the system.
//!
//! A store is made with `auto_vacuum = INCREMENTAL`: SQLite keeps one page of pointers for about 800
//! others, which changes only when a page is taken or let go, and can move the last pages of the file into
//! free ones. That is done after outcomes were pruned, and for a bounded number of pages: a commit that
//! prunes lets others wait a little longer, and the next one goes on. A store that is pruned every day
//! reuses its free pages and moves none.

use rusqlite::Connection;

/// Free pages that stay in the file for what comes next: 1 MiB.
const KEPT: i64 = 256;
/// Pages that one commit gives back at most: 4 MiB.
const SLICE: i64 = 1_024;

/// Has a store that is about to be created keep the pointers. Without effect on any other.
pub(crate) fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")
}

/// Gives back some of the free pages, in a transaction of its own. What fails is tried again next time.
pub(crate) fn give_back(conn: &Connection) {
    let _ = try_give_back(conn);
}

fn try_give_back(conn: &Connection) -> rusqlite::Result<()> {
    let free: i64 = conn.query_row("PRAGMA freelist_count", (), |row| row.get(0))?;
    let pages = (free - KEPT).min(SLICE);
    if pages <= 0 {
        return Ok(());
    }
    let mut statement = conn.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    let mut rows = statement.query(())?;
    // Each row is a page.
    while rows.next()?.is_some() {}
    Ok(())
}
