//! The floor of a tool event: a raw program that reads and writes the same rows of the same file, with the
//! same lock and checkpoint rule.
//!
//! Arguments: store, scope, tool name, op id, time.

use std::fs::File;
use std::io::Read;

use staleness_benches::raw::sqlite::connect;

fn main() -> rusqlite::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let [_, store, scope, name, op, at] = args.as_slice() else { panic!("five arguments") };
    let mut payload = Vec::new();
    std::io::stdin().read_to_end(&mut payload).expect("the payload");
    let at: i64 = at.parse().expect("a time");
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(format!("{store}.lock"))
        .expect("the lock");
    let conn = connect(store)?;
    lock.lock().expect("the lock");
    conn.execute_batch("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE")?;
    let (revision, last): (i64, Option<i64>) =
        conn.query_row("SELECT revision, (SELECT max(seq) FROM outcomes) FROM meta", (), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let read = "SELECT * FROM tools WHERE scope = ?1 AND name = ?2";
    let (uses, mut ring): (i64, Vec<u8>) =
        conn.query_row(read, (scope, name), |row| Ok((row.get("uses")?, row.get("ring")?)))?;
    let entry = ring.len().saturating_sub(17);
    let tail = ring[entry..].to_vec();
    if ring.len() > 32 * 17 {
        ring.drain(1..18);
    }
    ring.extend(tail);
    conn.execute(
        "UPDATE tools SET ring = ?3, uses = ?4, last_used_at = ?5, updated_at = ?5 \
         WHERE scope = ?1 AND name = ?2",
        (scope, name, ring, uses + 1, at),
    )?;
    conn.execute(
        "INSERT INTO outcomes(seq, identity, op, scope, tool, server, credits, mark, at, project, \
         session, agent, client, duration_ms) \
         VALUES(?1, ?2, ?3, ?4, ?5, 'server0', x'', 'S', ?6, ?7, 'bench', NULL, 'claude-code', 12)",
        (
            last.unwrap_or(0) + 1,
            at.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64).wrapping_add(revision),
            op,
            scope,
            name,
            at,
            scope,
        ),
    )?;
    conn.execute_batch("COMMIT")?;
    let frames = std::fs::metadata(format!("{store}-wal"))
        .map_or(0, |log| log.len().saturating_sub(32) / (24 + 4096));
    if frames >= 64 {
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))?;
    }
    Ok(())
}
