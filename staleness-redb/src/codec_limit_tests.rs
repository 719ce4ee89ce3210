//! The largest records, and lengths that nothing has.

use staleness_core::tool::{RING_CAPACITY, Tool};

use super::*;

/// Lengths that would be gigabytes and more, in every place that holds one.
#[test]
fn a_hostile_length_is_an_error() {
    let huge: [&[u8]; 3] = [
        &[0xfc, 0xff, 0xff, 0xff, 0x7f],
        &[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        &[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ];
    let tool = bytes(TOOL);
    let outcome = bytes(OUTCOME);
    let (item, document) = (bytes(ITEM), bytes(DOCUMENT));
    for length in huge {
        for place in 2..tool.len() {
            let hostile = [&tool[..place], length, &tool[place..]].concat();
            let _ = decode_tool(key("t"), &hostile);
        }
        for place in 2..item.len() {
            let hostile = [&item[..place], length, &item[place..]].concat();
            let _ = decode_item(item_key(), &hostile);
        }
        for place in 2..document.len() {
            let hostile = [&document[..place], length, &document[place..]].concat();
            let _ = decode_document(document_key(), &hostile);
        }
        for place in 2..outcome.len() {
            let hostile = [&outcome[..place], length, &outcome[place..]].concat();
            let _ = decode_outcome(7, &hostile);
        }
        // A project begins with the length of its root.
        let hostile = [b"p\x01", length, b"root"].concat();
        assert_eq!(decode_project(project_id(), &hostile), Err(Bad("body")));
        // A ring that claims many entries, in a tool that is sound up to there.
        let place = tool.iter().rposition(|byte| *byte == 3).unwrap() - 1;
        let hostile = [&tool[..place], length, &tool[place + 1..]].concat();
        assert!(decode_tool(key("t"), &hostile).is_err());
    }
}

/// The longest of everything that has a limit, and far more holdings and credits than anybody has.
#[test]
fn the_largest_record_fits() {
    let longest = "\u{1f680}".repeat(128);
    let project = ProjectId::new(&longest).unwrap();
    let name = ToolName::new(&longest).unwrap();
    let tool_key = ToolKey::project(project.clone(), name.clone());
    let holding = |part: usize| Holding {
        source: SourceId {
            project: Some(project.clone()),
            client: longest.clone(),
            level: Level::Live,
            part: format!("{part}{longest}"),
        },
        held: true,
        disabled: true,
    };
    let ring = RingEntry { mark: Mark::Offline, at: Timestamp::MIN, op: u64::MAX };
    let tool = Tool {
        server: Some(ServerKey::new(&longest).unwrap()),
        plugin: Some(name),
        description: Some("\u{1f680}".repeat(Tool::MAX_DESCRIPTION_CHARS)),
        holdings: (0..500).map(holding).collect(),
        ring: Ring::from_entries([ring; RING_CAPACITY]),
        ..Tool::new(tool_key.clone(), ToolKind::McpTool, PresenceCause::Used, Timestamp::MIN)
    };
    let bytes = encode_tool(&tool).unwrap();
    assert!(bytes.len() > 10 * 65_536, "{}", bytes.len());
    assert_eq!(decode_tool(tool_key.clone(), &bytes), Ok(tool));
    let outcome = Outcome { credits: vec![tool_key; 900], ..the_outcome() };
    let bytes = encode_outcome(&outcome).unwrap();
    assert_eq!(decode_outcome(7, &bytes), Ok(outcome));
}

/// A text and fields to the limits that the registry has for them.
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
        ..the_item()
    };
    row.check().unwrap();
    let bytes = encode_item(&row).unwrap();
    assert_eq!(decode_item(item_key(), &bytes), Ok(row.clone()));
    // Beyond that nothing is read, and nothing is claimed for it.
    let hostile = [bytes.as_slice(), &vec![0; MAX_TEXT_RECORD]].concat();
    assert_eq!(decode_item(item_key(), &hostile), Err(Bad("length")));
    let larger = Item { body: "x".repeat(MAX_TEXT_RECORD), ..row };
    assert!(matches!(encode_item(&larger), Err(StoreError::Misstep(_))));

    let block = the_document().found.remove(0);
    let one = staleness_core::store::pack(std::slice::from_ref(&block)).len();
    let found = vec![block; staleness_core::registry::MAX_FINDINGS_BYTES / one];
    let row = Document { found, head: Some(longest), ..the_document() };
    let bytes = encode_document(&row).unwrap();
    assert!(bytes.len() > MAX_RECORD * 9 / 10, "{}", bytes.len());
    assert_eq!(decode_document(document_key(), &bytes), Ok(row));
}

#[test]
fn findings_that_are_none_are_refused() {
    let with = |found: &str| {
        let sound = encode_document(&Document { found: Vec::new(), ..the_document() }).unwrap();
        let length = u8::try_from(found.len()).unwrap();
        [&sound[..sound.len() - 1], &[1, length], found.as_bytes()].concat()
    };
    for found in ["", "[]", "{}", "null", "[1]", "[{}]"] {
        assert_eq!(decode_document(document_key(), &with(found)), Err(Bad("found")), "{found}");
    }
}

/// What can be written can be read: the most that is claimed for the bytes of a record.
#[test]
fn a_record_at_the_limit_can_be_read() {
    let entry = |length: usize| JournalEntry { note: Some("x".repeat(length)), ..the_entry() };
    let around = encode_entry(&entry(MAX_RECORD - 100)).unwrap().len() - (MAX_RECORD - 100);
    let largest = entry(MAX_RECORD - around);
    let bytes = encode_entry(&largest).unwrap();
    assert_eq!(bytes.len(), MAX_RECORD);
    assert_eq!(decode_entry(Revision(1), 0, &bytes), Ok(largest));
    let refused = encode_entry(&entry(MAX_RECORD - around + 1));
    assert!(matches!(refused, Err(StoreError::Misstep(_))), "{refused:?}");
    // Numbers of one byte each are claimed with eight.
    let numbers = vec![1_u64; MAX_RECORD - 7];
    let bytes = encode(Kind::Tool, 1, &numbers).unwrap();
    assert_eq!(bytes.len(), MAX_RECORD);
    let (_, body) = open(Kind::Tool, &bytes).unwrap();
    assert_eq!(decode::<Vec<u64>>(body), Ok(numbers));
}
