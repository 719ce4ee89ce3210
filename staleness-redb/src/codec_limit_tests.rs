//! Tests of the largest records.

use staleness_core::ids::{Level, ProjectId, ServerKey, SourceId, ToolKey, ToolName};
use staleness_core::knowledge::Contradiction;
use staleness_core::outcome::Mark;
use staleness_core::route::Confidence;
use staleness_core::store::table::Cell;
use staleness_core::tool::{Listing, ListingState, PresenceCause, Ring, RingEntry, ToolKind};
use staleness_core::work::WorkStep;

use super::*;

/// Uses the maximum length wherever there is a limit, and far more listings and credits than anyone has.
#[test]
fn the_largest_record_fits() {
    let longest = "\u{1f680}".repeat(128);
    let project = ProjectId::new(&longest).unwrap();
    let name = ToolName::new(&longest).unwrap();
    let tool_key = ToolKey::project(project.clone(), name.clone());
    let listing = |part: usize| Listing {
        source: SourceId {
            project: Some(project.clone()),
            client: longest.clone(),
            level: Level::Live,
            part: format!("{part}{longest}"),
        },
        state: ListingState::Gone,
    };
    let ring = RingEntry { mark: Mark::Offline, at: Timestamp::MIN, op: u64::MAX };
    let tool = Tool {
        server: Some(ServerKey::new(&longest).unwrap()),
        plugin: Some(name),
        description: Some("\u{1f680}".repeat(Tool::MAX_DESCRIPTION_CHARS)),
        listings: (0..500).map(listing).collect(),
        ring: Ring::from_entries([ring; Ring::CAPACITY]),
        ..Tool::new(tool_key.clone(), ToolKind::McpTool, PresenceCause::Used, Timestamp::MIN)
    };
    let bytes = encode(&tool).unwrap();
    assert!(bytes.len() > 10 * 65_536, "{}", bytes.len());
    assert_eq!(decode(&bytes), Ok(tool));
    let outcome = Outcome { credits: vec![tool_key; 900], ..the() };
    let bytes = encode(&outcome).unwrap();
    assert_eq!(decode(&bytes), Ok(outcome));
}

/// The text and fields have the registry's maximum size.
#[test]
fn the_largest_item_and_document_fit() {
    let longest = "\u{1f680}".repeat(128);
    let row = Item {
        body: "x".repeat(Item::MAX_BODY_BYTES),
        keywords: (0..500).map(|number| format!("{number:0500}")).collect(),
        contradicted: Some(Contradiction {
            by: longest.clone(),
            reason: "x".repeat(Item::MAX_REASON_BYTES),
            at: Timestamp::MAX,
        }),
        ..the()
    };
    row.check().unwrap();
    let bytes = encode(&row).unwrap();
    assert_eq!(decode(&bytes), Ok(row.clone()));
    // Longer input is rejected without allocating memory for it.
    let hostile = [bytes.as_slice(), &vec![0; MAX_TEXT_RECORD]].concat();
    assert_eq!(decode::<Item>(&hostile), Err(Bad("length")));
    let larger = Item { body: "x".repeat(MAX_TEXT_RECORD), ..row };
    assert!(matches!(encode(&larger), Err(StoreError::Misstep(_))));

    let block = the::<Document>().found.remove(0);
    let Cell::Text(Some(packed)) = Cell::packed(&[&block]) else { panic!("not a text") };
    let found = vec![block; Document::MAX_FINDINGS_BYTES / packed.len()];
    let row = Document { found, head: Some(longest), ..the() };
    let bytes = encode(&row).unwrap();
    assert!(bytes.len() > MAX_RECORD * 9 / 10, "{}", bytes.len());
    assert_eq!(decode(&bytes), Ok(row));
}

/// The text and fields have the registry's maximum size.
#[test]
fn the_largest_work_item_fits() {
    let row = Work {
        text: "x".repeat(Work::MAX_TEXT_BYTES),
        steps: (0..1_000).map(|_| WorkStep { text: "x".repeat(500), at: at(i64::MAX) }).collect(),
        claim: None,
        ..the()
    };
    row.check().unwrap();
    assert_eq!(decode(&encode(&row).unwrap()), Ok(row));
}

/// A record of the maximum size can be written and read. One more byte is rejected.
#[test]
fn a_record_at_the_limit_can_be_read() {
    let entry = |length: usize| JournalEntry { note: Some("x".repeat(length)), ..the() };
    let around = encode(&entry(MAX_RECORD - 100)).unwrap().len() - (MAX_RECORD - 100);
    let largest = entry(MAX_RECORD - around);
    let bytes = encode(&largest).unwrap();
    assert_eq!(bytes.len(), MAX_RECORD);
    assert_eq!(decode(&bytes), Ok(largest));
    let refused = encode(&entry(MAX_RECORD - around + 1));
    assert!(matches!(refused, Err(StoreError::Misstep(_))), "{refused:?}");
}

/// Values that core's types reject are also rejected when decoding.
#[test]
fn what_no_record_may_say_is_refused() {
    let swapped = |record: &[u8], from: &[u8], to: &[u8]| {
        let place = record.windows(from.len()).position(|part| part == from).expect("it is there");
        [&record[..place], to, &record[place + from.len()..]].concat()
    };
    let refused = |read: Result<Tool, Bad>| assert_eq!(read, Err(Bad("body")));
    let tool = encode(&the::<Tool>()).unwrap();
    // An empty name, a control character, an unknown word, and an out-of-range time.
    refused(decode(&swapped(&tool, &[1, b't'], &[0])));
    refused(decode(&swapped(&tool, &[1, b't'], &[1, 7])));
    refused(decode(&swapped(&tool, &[1, b't', 2], &[1, b't', 8])));
    let last = [&[0xfd][..], &(2 * (Timestamp::MAX.as_millis() as u64) + 2).to_le_bytes()].concat();
    let (before, after) = (&tool[..tool.len() - 5], &tool[tool.len() - 4..]);
    refused(decode(&[before, &last, after].concat()));
    let one = RingEntry { mark: Mark::Offline, at: at(5), op: 300 };
    let entry = [3, 10, 0xfb, 0x2c, 0x01];
    let full = encode(&Tool { ring: Ring::from_entries([one; 32]), ..the() }).unwrap();
    refused(decode(&swapped(
        &full,
        &[&[32], &entry[..]].concat(),
        &[&[33], &entry[..], &entry].concat(),
    )));
    let route = encode(&Route { ops: vec![0; 16], ..the() }).unwrap();
    let more = [&route[..route.len() - 17], &[17; 1], &[0; 17]].concat();
    assert_eq!(decode::<Route>(&more), Err(Bad("body")));
    let sure = encode(&Route { confidence: Confidence::ONE, ..the() }).unwrap();
    let sure = swapped(&sure, &1_000_000_000_u32.to_le_bytes(), &1_000_000_001_u32.to_le_bytes());
    assert_eq!(decode::<Route>(&sure), Err(Bad("body")));
    let numbers = the::<RouteVector>().vector.to_bytes();
    for odd in [vec![0; 8], [0xff; 8].to_vec(), 2.0_f32.to_le_bytes().repeat(2)] {
        let vector = swapped(&encode(&the::<RouteVector>()).unwrap(), &numbers, &odd);
        assert_eq!(decode::<RouteVector>(&vector), Err(Bad("body")));
    }
    let document = encode(&Document { found: Vec::new(), ..the() }).unwrap();
    for found in ["", "{}", "null", "[1]", "[{}]"] {
        let found = [&[found.len() as u8], found.as_bytes()].concat();
        let read = decode::<Document>(&swapped(&document, b"\x02[]", &found));
        assert_eq!(read, Err(Bad("body")), "{found:?}");
    }
}
