//! Golden bytes that must never change, invalid bytes, and a second decoder for the same bytes.

use proptest::prelude::*;
use proptest::test_runner::Config;
use staleness_conformance::arbitrary::{self, Reach};
use staleness_core::definition::Definition;
use staleness_core::journal::JournalEntry;
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::Outcome;
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteVector, Suggestions};
use staleness_core::session::{Cursor, Session};
use staleness_core::source::Source;
use staleness_core::time::Timestamp;
use staleness_core::tool::Tool;
use staleness_core::work::Work;

use super::*;

/// Calls a macro with one record of each kind, as JSON, and its bytes in version 2.
macro_rules! golden {
    ($each:ident) => {
        $each!(
            Project,
            r#"{"id": "p", "root": "/r", "first_seen_at": "1970-01-01T00:00:00.001Z",
                "last_seen_at": "1969-12-31T23:59:59.999Z",
                "config_digest": 340282366920938463463374607431768211455, "told": 250}"#,
            "70020170022f720201fefffffffffffffffffffffffffffffffffa"
        );
        $each!(
            Source,
            r#"{"id": {"project": "p", "client": "c", "level": "live", "part": "mcp"},
                "path": "/c", "state": "partial", "found": 70000, "digest": 5,
                "readings": 18446744073709551615, "last_read_at": null,
                "last_scan_at": "1970-01-01T00:00:00.002Z", "error": "e"}"#,
            "7302010170016303036d6370022f6302fc7011010005fdffffffffffffffff0004010165"
        );
        $each!(
            Tool,
            r#"{"key": {"scope": "p", "name": "t"}, "kind": "mcp_tool", "server": "srv",
                "plugin": null, "description": "é", "listings": [{"source": {"project": "p",
                "client": "c", "level": "live", "part": "mcp"}, "state": "configured"}],
                "used_by": ["c"], "presence": {"cause": "not_listed",
                "since": "1970-01-01T00:00:00.003Z", "revived": true},
                "health": {"failing": {"since": "1970-01-01T00:00:00.004Z", "cause": "why"},
                "demotions": 2, "last_demoted_at": "1970-01-01T00:00:00.004Z", "window": 3},
                "hold": "ignored", "ring": [{"mark": "O", "at": "1970-01-01T00:00:00.005Z",
                "op": "000000000000012c"}], "uses": 9, "discovered_at": "1970-01-01T00:00:00.006Z",
                "last_used_at": "1970-01-01T00:00:00.007Z",
                "updated_at": "1970-01-01T00:00:00.008Z", "defined_chars": 300}"#,
            "740201700174020103737276000102c3a901010170016303036d6370000101630b060101080377687902\
             0108030301030afb2c01090c010e1001fb2c01"
        );
        $each!(
            Outcome,
            r#"{"seq": 7, "op": "op", "tool": {"scope": "p", "name": "t"}, "server": "srv",
                "credits": [{"scope": "", "name": "g"}, {"scope": "p", "name": "k"}],
                "mark": "F", "at": "2023-11-14T22:13:20Z", "project": "p", "session": null,
                "agent": "a", "client": "c", "duration_ms": 1000}"#,
            "6f0207026f70017001740103737276020001670170016b01fd00d0ca9f17030000017000010161010163\
             01fbe803"
        );
        $each!(
            JournalEntry,
            r#"{"revision": 1, "index": 0, "at": "1970-01-01T00:00:00.001Z",
                "subject": {"kind": "project", "scope": "", "id": "x"}, "action": "forgotten",
                "from": "active", "to": null, "cause": "why", "note": "n", "session": null,
                "actor": "human", "op": "op", "clients": ["c"]}"#,
            "6a0201000201000178090106616374697665000377687901016e00010568756d616e01026f70010163"
        );
        $each!(
            Item,
            r#"{"key": {"scope": "", "id": "i"}, "kind": "todo", "body": "é", "keywords": ["w"],
                "path": "m", "added_at": "1970-01-01T00:00:00.001Z",
                "updated_at": "1970-01-01T00:00:00.002Z", "version_context": "1.2",
                "evergreen": true, "due": "1970-01-01T00:00:00.003Z",
                "expires_at": "1970-01-01T00:00:00.004Z",
                "verified_at": "1970-01-01T00:00:00.005Z", "verified_commit": "c0",
                "verifications": 6, "citations": [{"path": "a"}, {"path": "b",
                "lines": {"first": 7, "last": 300}, "symbol": "f", "digest": "d0"}],
                "supersedes": ["j"], "superseded_by": ["k"], "related": ["l"],
                "contradicted": {"by": "x", "reason": "y", "at": "1970-01-01T00:00:00.008Z"},
                "done_at": "1970-01-01T00:00:00.009Z", "recalls": 10, "recalls_since_edit": 11,
                "recalled_at": "1970-01-01T00:00:00.012Z", "recall_op": "op"}"#,
            "6b020001690202c3a901017701016d02040103312e320101060108010a0102633006555b7b2270617468\
             223a2261227d2c7b2270617468223a2262222c226c696e6573223a7b226669727374223a372c226c6173\
             74223a3330307d2c2273796d626f6c223a2266222c22646967657374223a226430227d5d01016a01016b\
             01016c01017801791001120a0b011801026f70"
        );
        $each!(
            Document,
            r#"{"key": {"project": "p", "path": "a.md"}, "loaded": true,
                "checked_at": "1970-01-01T00:00:00.001Z", "head": "h", "digest": 2,
                "gaps": ["no_git"], "blocks": 70000, "found": [{"line": 3, "last_line": 4,
                "title": "t", "digest": 5, "evidence": [{"fact": "related_stale", "id": "i"}]}]}"#,
            "6402017004612e6d640102010168020106fc70110100605b7b226c696e65223a332c226c6173745f6c69\
             6e65223a342c227469746c65223a2274222c22646967657374223a352c2265766964656e6365223a5b7b\
             2266616374223a2272656c617465645f7374616c65222c226964223a2269227d5d7d5d"
        );
        $each!(
            Work,
            r#"{"key": {"scope": "", "id": "w"}, "kind": "handoff", "status": "closed",
                "before": "open", "text": "é", "author": "a", "from": "f", "to": null,
                "note": "session_end", "generated": true, "by_person": true,
                "created_at": "1970-01-01T00:00:00.001Z",
                "updated_at": "1969-12-31T23:59:59.999Z", "expires_at": "1970-01-01T00:00:00.3Z",
                "refs": ["r"], "after": ["b"], "claim": {"agent": "a", "session": "s",
                "at": "1970-01-01T00:00:00.005Z", "until": "1970-01-01T00:00:00.006Z"},
                "steps": [{"text": "s", "at": "1970-01-01T00:00:00.004Z"}]}"#,
            "77020001770309010702c3a901016101016600020101020101fb58020101720101620101610101730a0c\
             01017308"
        );
        $each!(
            Session,
            r#"{"key": {"project": "p", "id": "s"}, "agent": "a",
                "started_at": "1970-01-01T00:00:00.001Z", "ended_at": "1970-01-01T00:00:00.002Z",
                "from_revision": 250, "first_contact": true,
                "told_at": "1970-01-01T00:00:00.005Z"}"#,
            "6502017001730161020104fa01010a"
        );
        $each!(
            Cursor,
            r#"{"key": {"project": "p", "agent": "a"}, "revision": 251, "session": "s",
                "moved_at": "1970-01-01T00:00:00.003Z"}"#,
            "630201700161fbfb0001017306"
        );
        $each!(
            Route,
            r#"{"key": {"project": "p", "tool": "t", "id": "00000000000000000000000000000001"},
                "query": "q", "confidence": 0.95, "uses": 251,
                "created_at": "1969-12-31T23:59:59.999Z",
                "last_used_at": "1970-01-01T00:00:00.001Z", "model": "m",
                "ops": "00000000000000020000000000000003"}"#,
            "7202017001742030303030303030303030303030303030303030303030303030303030303030310171fc\
             80d99f38fbfb00010201016d020203"
        );
        $each!(
            RouteVector,
            r#"{"key": {"project": "p", "tool": "t", "id": "00000000000000000000000000000001"},
                "model": "m", "vector": ["f32", "9a99193fcdcc4cbf"]}"#,
            "760201700174203030303030303030303030303030303030303030303030303030303030303031016d00\
             089a99193fcdcc4cbf"
        );
        $each!(
            Definition,
            r#"{"key": {"scope": "", "name": "n"}, "pinned_at": "1970-01-01T00:00:00Z",
                "current": {"description": {"digest": "d", "text": "t"}, "found": ["hidden",
                {"address": ["h", "w"]}]}, "since": "1970-01-01T00:00:00.001Z", "previous": null,
                "pending": "narrowed", "changes": 7, "journalled": ["wording",
                "1970-01-01T00:00:00.001Z"]}"#,
            "690200016e00527b226465736372697074696f6e223a7b22646967657374223a2264222c227465787422\
             3a2274227d2c22666f756e64223a5b2268696464656e222c7b2261646472657373223a5b2268222c2277\
             225d7d5d7d02046e756c6c010207265b22776f7264696e67222c22313937302d30312d30315430303a30\
             303a30302e3030315a225d"
        );
        $each!(
            Suggestions,
            r#"{"key": {"project": "p", "id": "s"}, "made": 2,
                "prompts": [{"at": "1970-01-01T00:00:00Z"}], "calls": [{"op": "o", "tool": "n",
                "turn": "t", "at": "1970-01-01T00:00:00.001Z"}], "claims": [[{"scope": "",
                "id": "w"}, "1970-01-01T00:00:00.002Z"]]}"#,
            "670201700173021f5b7b226174223a22313937302d30312d30315430303a30303a30305a227d5d425b7b\
             226f70223a226f222c22746f6f6c223a226e222c227475726e223a2274222c226174223a22313937302d\
             30312d30315430303a30303a30302e3030315a227d5d0100017704"
        );
    };
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// Reads a record from its JSON.
fn record<R: DeserializeOwned>(json: &str) -> R {
    serde_json::from_str(json).unwrap()
}

/// Returns the golden record of a kind.
fn the<R: Coded>() -> R {
    let mut found = None;
    macro_rules! same_kind {
        ($type:ty, $json:literal, $bytes:literal) => {
            if <$type as Coded>::KIND == R::KIND {
                found = Some(record($json));
            }
        };
    }
    golden!(same_kind);
    found.unwrap()
}

/// Formats bytes as hex digits and text.
fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses hex digits.
fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|place| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).unwrap())
        .collect()
}

#[test]
fn version_2_of_every_record_has_these_bytes_and_is_read_as_ever() {
    macro_rules! same {
        ($type:ty, $json:literal, $bytes:literal) => {
            let golden = record::<$type>($json);
            assert_eq!(shown(&encode(&golden).unwrap()), $bytes);
            assert_eq!(decode(&bytes($bytes)), Ok(golden));
        };
    }
    golden!(same);
}

/// A new kind of record needs a new format.
#[test]
fn format_14_has_these_kinds_of_records() {
    let mut kinds = Vec::new();
    macro_rules! kind {
        ($type:ty, $json:literal, $bytes:literal) => {
            kinds.push(char::from(<$type as Coded>::KIND))
        };
    }
    golden!(kind);
    macro_rules! each {
        ($($rows:ident: $row:ty,)*) => {
            $(assert!(kinds.contains(&char::from(<$row as Coded>::KIND)), stringify!($rows));)*
        };
    }
    staleness_core::collections!(each);
    assert_eq!(
        (crate::collections::stored::FORMAT, String::from_iter(kinds)),
        (14, "pstojkdwecrvig".into())
    );
}

/// Sets lengths of gigabytes and more wherever a length is stored.
#[test]
fn a_hostile_length_a_cut_and_an_odd_byte_are_errors_at_most() {
    let huge: [&[u8]; 3] = [
        &[0xfc, 0xff, 0xff, 0xff, 0x7f],
        &[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        &[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ];
    macro_rules! hostile {
        ($type:ty, $json:literal, $bytes:literal) => {
            let (read, sound) = (decode::<$type>, bytes($bytes));
            assert_eq!(read(&sound), Ok(record($json)));
            for place in 0..sound.len() {
                for length in huge {
                    let _ = read(&[&sound[..place], length, &sound[place..]].concat());
                }
                let mut odd = sound.clone();
                for bit in 0..8 {
                    odd[place] ^= 1 << bit;
                    let _ = read(&odd);
                }
                let what = if place < 2 { "kind" } else { "body" };
                assert_eq!(read(&sound[..place]), Err(Bad(what)), "{place}");
            }
            assert_eq!(read(&[sound.as_slice(), &[0]].concat()), Err(Bad("length")));
            for version in [0, 1, 3] {
                let other = [&[sound[0], version], &sound[2..]].concat();
                assert_eq!(read(&other), Err(Bad("version")));
            }
            assert_eq!(read(&[b"x", &sound[1..]].concat()), Err(Bad("kind")));
        };
    }
    golden!(hostile);
}

#[path = "codec_any_tests.rs"]
mod any_records;

#[path = "codec_limit_tests.rs"]
mod limits;
