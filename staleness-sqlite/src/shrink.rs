//! Returns unused pages to the file system.
//!
//! A store is created with `auto_vacuum = INCREMENTAL`. SQLite then keeps one page of pointers for about 800 other
//! pages, which changes only when a page is allocated or freed. With it, SQLite can move the file's last pages into
//! free ones. This happens after outcomes were pruned, for a limited number of pages, so that others do not wait long;
//! the next pruning continues. A store that is pruned daily reuses its free pages and moves none.

use rusqlite::Connection;

/// Number of free pages to keep in the file (1 MiB).
const KEPT: i64 = 256;
/// Maximum number of pages to return per commit (4 MiB).
const SLICE: i64 = 1_024;

/// Enables incremental vacuum for a store that is about to be created. Has no effect on existing stores.
pub(crate) fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")
}

/// Returns some free pages in a separate transaction. Errors are ignored; the next call tries again.
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
    // Each row frees one page.
    while rows.next()?.is_some() {}
    Ok(())
}
