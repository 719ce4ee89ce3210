//! Reading exports: what is refused, in which line, and how records are merged.

use std::ops::ControlFlow;
use std::sync::Arc;

use staleness_core::ids::{ModelId, ProjectId, ToolName};
use staleness_core::route::RouteId;
use staleness_core::scan::{ProjectRef, Scan, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::store::{Selection, View};
use staleness_core::transfer::{Checker, LineError, Record};
use staleness_core::{MemoryStore, Policy, Registry, Wait};

const PROJECT: &str = r#"{"kind":"project","row":{"id":"p","root":"/work/p","first_seen_at":"2026-01-01T00:00:00Z","last_seen_at":"2026-01-02T00:00:00Z","config_digest":"000000000000000000000000000000ab","told":2}}"#;
const SOURCE: &str = r#"{"kind":"source","row":{"id":{"project":null,"client":"c","level":"user","part":"mcp"},"path":"~/.c","state":"read","found":2,"digest":"000000000000000000000000000000cd","readings":3,"last_read_at":"2026-01-01T00:00:00Z","last_scan_at":"2026-01-01T00:00:00Z","error":null}}"#;
const TOOL: &str = r#"{"kind":"tool","row":{"key":{"scope":"p","name":"t"},"kind":"skill","server":"s","plugin":"u","description":"Does","listings":[{"source":{"project":"p","client":"c","level":"local","part":"mcp"},"state":"configured"}],"used_by":[],"presence":{"cause":"configured","since":"2026-01-01T00:00:00Z","revived":false},"health":{"failing":{"since":"2026-01-01T00:00:00Z","cause":"3 of 5"},"demotions":1,"last_demoted_at":"2026-01-01T00:00:00Z","window":3},"hold":"pinned","ring":[{"mark":"O","at":"2026-01-01T00:00:00.5Z","op":"00000000000000ff"}],"uses":4,"discovered_at":"2026-01-01T00:00:00Z","last_used_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-03T00:00:00Z","defined_chars":null}}"#;
const ITEM: &str = r#"{"kind":"knowledge","row":{"key":{"scope":"p","id":"i"},"kind":"todo","body":"a\nb","keywords":["k","l"],"path":"d.md","added_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","version_context":"1.2","evergreen":true,"due":"2026-02-01T00:00:00Z","expires_at":"2026-03-01T00:00:00Z","verified_at":"2026-01-03T00:00:00Z","verified_commit":"c0","verifications":2,"citations":[{"path":"a.rs"},{"path":"b.rs","lines":{"first":1,"last":9},"symbol":"f","digest":"0f"}],"supersedes":["h"],"superseded_by":["j"],"related":["x"],"contradicted":{"by":"me","reason":"no","at":"2026-01-04T00:00:00Z"},"done_at":"2026-01-05T00:00:00Z","recalls":5,"recalls_since_edit":1,"recalled_at":"2026-01-06T00:00:00Z","recall_op":"o"}}"#;
const OUTCOME: &str = r#"{"kind":"outcome","row":{"seq":0,"op":"o1","tool":{"scope":"p","name":"t"},"server":"s","credits":[{"scope":"","name":"u"}],"mark":"F","at":"2026-01-01T00:00:00Z","project":"p","session":"s1","agent":"a","client":"c","duration_ms":5}}"#;
const FIRST: &str = r#"{"kind":"journal","row":{"revision":1,"index":0,"at":"2026-01-01T00:00:00Z","subject":{"kind":"tool","scope":"p","id":"t"},"action":"added","from":null,"to":"active","cause":"configured","note":null,"session":null,"actor":null,"op":null,"clients":[]}}"#;
const SECOND: &str = r#"{"kind":"journal","row":{"revision":2,"index":0,"at":"2026-01-01T00:00:00Z","subject":{"kind":"tool","scope":"p","id":"t"},"action":"pinned","from":"active","to":"active","cause":"by_hand","note":"n","session":"s1","actor":"me","op":"o2","clients":[]}}"#;

const ROUTE: &str = r#"{"kind":"route","row":{"key":{"project":"p","tool":"T","id":"48471ef5c302be662b439591a02cdb53"},"query":"a b","confidence":1.0,"uses":1,"created_at":"2026-10-01T00:00:00Z","last_used_at":"2026-10-01T00:00:00Z","model":"m","ops":""}}"#;
const VECTOR: &str = r#"{"kind":"vector","row":{"key":{"project":"p","tool":"T","id":"48471ef5c302be662b439591a02cdb53"},"model":"m","vector":["f32","2ef9643f000000002ef9e43e"]}}"#;

/// The format of version 2, written down: a change here is a change of the format.
const ALL: [&str; 8] = [Record::HEADER, PROJECT, SOURCE, TOOL, ITEM, OUTCOME, FIRST, SECOND];

fn registry() -> Registry {
    Registry::new(Arc::new(MemoryStore::new()), Policy::default())
}

fn check(lines: &[&str]) -> Result<Vec<Record>, LineError> {
    let mut checker = Checker::new();
    let mut records = Vec::new();
    for line in lines {
        records.extend(checker.line(line)?);
    }
    checker.finish()?;
    Ok(records)
}

/// Imports lines; how much was written and how much was not.
fn import(registry: &Registry, lines: &[&str], dry_run: bool) -> (String, bool) {
    let mut importer = registry.admin().importer(dry_run).wait().unwrap();
    let (projects, others): (Vec<Record>, Vec<Record>) =
        check(lines).unwrap().into_iter().partition(|row| matches!(row, Record::Project(_)));
    for record in others.into_iter().chain(projects) {
        importer.put(record).wait().unwrap();
    }
    let report = importer.finish().wait().unwrap();
    let (new, old) = (report.imported, report.skipped);
    let counts = [
        (new.projects, old.projects),
        (new.sources, old.sources),
        (new.tools, old.tools),
        (new.knowledge, old.knowledge),
        (new.outcomes, old.outcomes),
        (new.journal, old.journal),
    ];
    let counts: Vec<String> = counts.iter().map(|(new, old)| format!("{new}+{old}")).collect();
    (counts.join(" "), report.merged)
}

fn export(registry: &Registry) -> Vec<String> {
    let mut bytes = Vec::new();
    let mut visit = |page: View| {
        page.append_lines(&mut bytes);
        ControlFlow::Continue(())
    };
    registry.admin().pages(&Selection::everything(), &mut visit).wait().unwrap();
    let text = String::from_utf8(bytes).unwrap();
    [Record::HEADER].into_iter().chain(text.lines()).map(str::to_owned).collect()
}

#[test]
fn version_2_is_read_and_written_as_it_is() {
    let registry = registry();
    assert_eq!(import(&registry, &ALL, true), ("1+0 1+0 1+0 1+0 1+0 2+0".into(), false));
    assert_eq!(export(&registry), [Record::HEADER], "a dry run writes nothing");
    assert_eq!(import(&registry, &ALL, false), ("1+0 1+0 1+0 1+0 1+0 2+0".into(), false));
    assert_eq!(export(&registry), ALL);
    assert_eq!(import(&registry, &ALL, false), ("0+1 0+1 0+1 0+1 0+1 0+2".into(), true));
    assert_eq!(export(&registry), ALL);
}

#[test]
fn what_no_export_holds_is_refused_with_its_line() {
    let earlier = "{\"kind\":\"project\",\"version\":1,\"id\":\"p\"}";
    let kind = PROJECT.replace("\"project\"", "\"planet\"");
    let gap = SECOND.replace("\"revision\":2", "\"revision\":3");
    let index = SECOND.replace("\"index\":0", "\"index\":1");
    let late = FIRST.replace("\"index\":0", "\"index\":1");
    let field = TOOL.replace("\"uses\"", "\"colour\":1,\"uses\"");
    let known = PROJECT.replace("\"told\"", "\"colour\":1,\"told\"");
    let blank = TOOL.replace(",\"uses\"", ", \"uses\"");
    let order = TOOL
        .replace("\"uses\":4,\"disc", "\"disc")
        .replace("\"defined_chars\"", "\"uses\":4,\"defined_chars\"");
    let omitted = TOOL.replace(",\"defined_chars\":null", "");
    let counted = OUTCOME.replace("\"seq\":0", "\"seq\":7");
    let digits = TOOL.replace("00ff\"", "00FF\"");
    let secret = PROJECT.replace("\"2026-01-01T00:00:00Z\"", "\"hunter2\\\", expected hunter2\"");
    let typed = SOURCE.replace("\"found\":2", "\"found\":\"hunter2\"");
    let named = SOURCE.replace("\"read\"", "\"hunter2`, expected `hunter2\"");
    let twice = SOURCE.replace("\"found\":2", "\"found\":2,\"found\":2");
    let word = TOOL.replace("pinned", "loved");
    let short = PROJECT.replace("000000ab", "ab");
    let name = TOOL.replace("\"name\":\"t\"", "\"name\":\"\"");
    let part = SOURCE.replace("\"mcp\"", "\"m\\u001fcp\"");
    let ring = TOOL.replace("\"window\":3", "\"window\":33");
    let body = ITEM.replace("a\\nb", "");
    let body = body.replace("\"d.md\"", "null");
    let unsorted = ITEM.replace("[\"k\",\"l\"]", "[\"l\",\"k\"]");
    let half = ITEM.replace("\"first\":1,", "");
    let backwards = ITEM.replace("\"last\":9", "\"last\":0");
    let later_header = Record::HEADER.replace('2', "3");
    for (lines, line, part) in [
        (&[][..], 1, "header"),
        (&[""], 1, "header"),
        (&[PROJECT], 1, "header"),
        (&["{}"], 1, "header"),
        (&[&later_header], 1, "version 3"),
        (&[Record::HEADER, Record::HEADER], 2, "second header"),
        (&[Record::HEADER, ""], 2, "EOF"),
        (&[Record::HEADER, PROJECT, "[1, 2]"], 3, "invalid type"),
        (&[Record::HEADER, &PROJECT[..90]], 2, "EOF"),
        (&[Record::HEADER, &kind], 2, "unknown variant"),
        (
            &[Record::HEADER, earlier],
            2,
            "invalid value: string \"…\", expected \"kind\" or \"row\"",
        ),
        (&[Record::HEADER, PROJECT, PROJECT], 3, "the same record"),
        (&[Record::HEADER, SOURCE, TOOL, SOURCE], 4, "out of order"),
        (&[Record::HEADER, TOOL, PROJECT], 3, "out of order"),
        (&[Record::HEADER, OUTCOME, OUTCOME], 3, "the outcome o1 of t appears twice"),
        (&[Record::HEADER, FIRST, FIRST], 3, "no gaps"),
        (&[Record::HEADER, FIRST, &gap], 3, "no gaps"),
        (&[Record::HEADER, FIRST, &index], 3, "no gaps"),
        (&[Record::HEADER, &late], 2, "no gaps"),
        (&[Record::HEADER, SECOND], 2, "no gaps"),
        (&[Record::HEADER, FIRST, OUTCOME], 3, "out of order"),
        (&[Record::HEADER, &field], 2, "differs from what an export writes, from column 543"),
        (&[Record::HEADER, &known], 2, "unknown field `…`, expected one of `id`"),
        (&[Record::HEADER, &blank], 2, "differs from what an export"),
        (&[Record::HEADER, &order], 2, "differs from what an export"),
        (&[Record::HEADER, &omitted], 2, "differs from what an export"),
        (&[Record::HEADER, &counted], 2, "differs from what an export writes, from column 32"),
        (&[Record::HEADER, &digits], 2, "differs from what an export"),
        (&[Record::HEADER, &secret], 2, "is not an RFC 3339 timestamp at column 96"),
        (&[Record::HEADER, &typed], 2, "invalid type: string \"…\", expected u32 at column 1"),
        (&[Record::HEADER, &named], 2, "unknown variant `…`, expected one of `read`"),
        (&[Record::HEADER, &twice], 2, "duplicate field"),
        (&[Record::HEADER, &word], 2, "unknown variant `…`, expected one of `none`"),
        (&[Record::HEADER, &short], 2, "differs from what an export"),
        (&[Record::HEADER, &name], 2, "is empty"),
        (&[Record::HEADER, &part], 2, "control character"),
        (&[Record::HEADER, &ring], 2, "32"),
        (&[Record::HEADER, ITEM, TOOL], 3, "out of order"),
        (&[Record::HEADER, ITEM, ITEM], 3, "the same record"),
        (&[Record::HEADER, &body], 2, "the text is empty"),
        (&[Record::HEADER, &unsorted], 2, "differs from what an export"),
        (&[Record::HEADER, &half], 2, "missing field `first`"),
        (&[Record::HEADER, &backwards], 2, "not a range"),
    ] {
        let error = check(lines).unwrap_err();
        assert!(error.line == line && error.what.contains(part), "{lines:?}: {error}");
        assert!(!error.what.contains("hunter2"), "{error}");
    }
}

#[test]
fn the_newer_record_stays() {
    let here = registry();
    import(&here, &ALL, false);
    let other = |from: &str, to: &str| ALL.map(|line| line.replace(from, to));
    // An older tool, source and project of another store lose; its own outcome and entry come.
    let theirs = other("2026-01-03T", "2026-01-01T").map(|line| {
        line.replace("2026-01-02T", "2025-01-02T")
            .replace("last_scan_at\":\"2026", "last_scan_at\":\"2025")
            .replace("\"o1\"", "\"o9\"")
            .replace("\"o2\"", "\"o8\"")
            .replace("\"uses\":4", "\"uses\":1")
    });
    let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
    assert_eq!(import(&here, &theirs, true).0, "0+1 0+1 0+1 0+1 1+0 1+1");
    assert_eq!(import(&here, &theirs, false), ("0+1 0+1 0+1 0+1 1+0 1+1".into(), true));
    assert_eq!(import(&here, &theirs, false).0, "0+1 0+1 0+1 0+1 0+1 0+2");
    let merged = export(&here);
    assert_eq!(merged[..6], ALL[..6], "what is newer here stays as it is");
    assert_eq!(merged[9], SECOND.replace("o2", "o8").replace("\"revision\":2", "\"revision\":3"));

    // A newer tool, source and project win.
    let theirs = ALL.map(|line| {
        line.replace("2026-01-03T", "2026-01-04T")
            .replace("2026-01-02T", "2027-01-02T")
            .replace("last_scan_at\":\"2026", "last_scan_at\":\"2027")
            .replace("\"uses\":4", "\"uses\":5")
            .replace("\"told\":2", "\"told\":1")
    });
    let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
    assert_eq!(import(&here, &theirs, false).0, "1+0 1+0 1+0 1+0 0+1 0+2");
    assert_eq!(import(&here, &theirs, false).0, "0+1 0+1 0+1 0+1 0+1 0+2");
    let merged = export(&here);
    assert!(merged[1].contains("2027-01-02") && merged[1].contains("\"told\":2"), "{}", merged[1]);
    assert!(merged[1].contains("\"config_digest\":\"00000000000000000000000000000001\""));
    assert!(merged[2].contains("\"readings\":4"), "{}", merged[2]);
    assert!(merged[3].contains("\"uses\":5"), "{}", merged[3]);
    assert_eq!(
        merged[4],
        ITEM.replace("2026-01-02T", "2027-01-02T").replace("2026-01-03T", "2026-01-04T")
    );
}

#[test]
fn a_source_that_was_read_as_often_as_can_be_counted_is_read_again() {
    let here = registry();
    let most = SOURCE.replace("\"readings\":3", "\"readings\":18446744073709551615");
    import(&here, &[Record::HEADER, &most], false);
    let project = ProjectRef::of_root("/work/p");
    let known = here.admin().sources().wait().unwrap().remove(0);
    let reading = SourceReading {
        id: known.id,
        path: known.path,
        state: SourceState::Read,
        root_is_there: true,
        error: None,
        found: Vec::new(),
    };
    let scan = Scan {
        project: project.clone(),
        sources: vec![reading],
        indexes: Vec::new(),
        read_under: here.tools().readings(&project.id).wait().unwrap(),
        at: known.last_scan_at,
        session: None,
        client: None,
    };
    here.tools().apply_scan(scan).wait().unwrap();
    assert_eq!(here.admin().sources().wait().unwrap()[0].readings, u64::MAX);
}

#[test]
fn the_same_said_twice_is_kept_twice() {
    // A scan has no op: it may say the same of a tool twice within a millisecond.
    let again = FIRST.replace("\"revision\":1", "\"revision\":2");
    let lines = [Record::HEADER, FIRST, &again];
    let registry = registry();
    assert_eq!(import(&registry, &lines, false).0, "0+0 0+0 0+0 0+0 0+0 2+0");
    assert_eq!(export(&registry), lines);
    assert_eq!(import(&registry, &lines, false).0, "0+0 0+0 0+0 0+0 0+0 0+2");
    assert_eq!(export(&registry), lines);
}

#[test]
fn an_import_that_was_cut_off_is_repeated() {
    let registry = registry();
    import(&registry, &[Record::HEADER, TOOL, OUTCOME, FIRST], false);
    assert_eq!(import(&registry, &ALL, false).0, "1+0 1+0 0+1 1+0 0+1 1+1");
    let mut whole = ALL.map(str::to_owned);
    // Only what a scan would do anew is noted.
    whole[1] = PROJECT.replace("0000ab", "000001");
    assert_eq!(export(&registry), whole);
}

#[test]
fn what_a_new_project_was_told_follows_the_journal() {
    let registry = registry();
    let own = FIRST.replace("\"id\":\"t\"", "\"id\":\"own\"");
    import(&registry, &[Record::HEADER, &own], false);
    assert_eq!(import(&registry, &ALL, false).0, "1+0 1+0 1+0 1+0 1+0 2+0");
    let merged = export(&registry);
    assert!(merged[1].contains("\"told\":3}"));
    assert_eq!(merged.len(), ALL.len() + 1);
    assert!(Record::read(&merged[8]).is_ok());
}

/// Of two stores that wrote about the same, each item keeps what was done last, the larger of each
/// counter, and links that both ends know of.
#[test]
fn items_of_two_stores_are_merged() {
    let line = |id: &str, day: u32, recalls: u32, links: &str| {
        format!(
            r#"{{"kind":"knowledge","row":{{"key":{{"scope":"","id":"{id}"}},"kind":"knowledge","body":"About {id}, day {day}.","keywords":[],"path":null,"added_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-0{day}T00:00:00Z","version_context":null,"evergreen":false,"due":null,"expires_at":null,"verified_at":null,"verified_commit":null,"verifications":0,"citations":[],{links},"related":[],"contradicted":null,"done_at":null,"recalls":{recalls},"recalls_since_edit":0,"recalled_at":null,"recall_op":null}}}}"#
        )
    };
    let by = |id: &str| format!(r#""supersedes":[],"superseded_by":["{id}"]"#);
    let of = |id: &str| format!(r#""supersedes":["{id}"],"superseded_by":[]"#);
    let none = r#""supersedes":[],"superseded_by":[]"#;
    // Here b stands for a, and was written earlier than there, where it stands for c.
    let here = [line("a", 1, 7, &by("b")), line("b", 2, 1, &of("a")), line("c", 1, 0, none)];
    let there = [line("b", 3, 0, &of("c")), line("c", 1, 9, &by("b")), line("d", 1, 0, none)];
    let with_header = |lines: &[String]| -> Vec<String> {
        [Record::HEADER.to_owned()].into_iter().chain(lines.iter().cloned()).collect()
    };
    let import_all = |registry: &Registry, lines: &[String]| {
        let lines = with_header(lines);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        import(registry, &lines, false).0
    };
    let merged = with_header(&[
        line("a", 1, 7, none),
        line("b", 3, 1, &of("c")),
        line("c", 1, 9, &by("b")),
        line("d", 1, 0, none),
    ]);
    let registry = registry();
    assert_eq!(import_all(&registry, &here), "0+0 0+0 0+0 3+0 0+0 0+0");
    assert_eq!(import_all(&registry, &there), "0+0 0+0 0+0 3+0 0+0 0+0");
    assert_eq!(export(&registry), merged);
    for lines in [&there, &here] {
        assert_eq!(import_all(&registry, lines), "0+0 0+0 0+0 0+3 0+0 0+0");
        assert_eq!(export(&registry), merged);
    }
}

/// A search knows routes by their ids: under that of another it would be taken for it.
#[test]
fn routes_and_vectors_under_the_id_of_others_are_refused() {
    assert_eq!(check(&[Record::HEADER, ROUTE, VECTOR]).map(|rows| rows.len()), Ok(2));
    let not_its_own = "does not match the tool";
    let of_none = "a vector without a route";
    for (lines, line, part) in [
        (&[&*ROUTE.replace("a b", "a c")][..], 2, not_its_own),
        (&[&ROUTE.replace("48471ef5", "48471ef6")], 2, not_its_own),
        (&[&ROUTE.replace(r#""tool":"T""#, r#""tool":"U""#)], 2, not_its_own),
        (&[ROUTE, &VECTOR.replace("48471ef5", "48471ef6")], 3, of_none),
        (&[ROUTE, &VECTOR.replace(r#""tool":"T""#, r#""tool":"U""#)], 3, of_none),
        (&[ROUTE, &VECTOR.replace(r#""project":"p""#, r#""project":"q""#)], 3, of_none),
        (&[VECTOR], 2, of_none),
    ] {
        let error = check(&[&[Record::HEADER], lines].concat()).unwrap_err();
        assert!(error.line == line && error.what.contains(part), "{lines:?}: {error}");
    }
    // Spelling makes no query another one.
    assert!(check(&[Record::HEADER, &ROUTE.replace("a b", "A  b")]).is_ok());
}

/// It is learned no more, and older exports hold it.
#[test]
fn a_query_without_words_is_imported() {
    let id = RouteId::of(&ToolName::new("T").unwrap(), "?!").to_string();
    let route = ROUTE.replace("a b", "?!").replace("48471ef5c302be662b439591a02cdb53", &id);
    let registry = registry();
    import(&registry, &[Record::HEADER, &route], false);
    assert_eq!(
        registry.routes().list(&ProjectId::new("p").unwrap()).wait().unwrap()[0].query,
        "?!"
    );
}

#[test]
fn a_dry_run_counts_the_vectors_of_routes_that_it_would_write() {
    let put = |registry: &Registry, dry_run| {
        let mut importer = registry.admin().importer(dry_run).wait().unwrap();
        check(&[Record::HEADER, ROUTE, VECTOR])
            .unwrap()
            .into_iter()
            .for_each(|row| importer.put(row).wait().unwrap());
        let report = importer.finish().wait().unwrap();
        (report.imported.routes, report.imported.vectors, report.skipped.vectors)
    };
    let registry = registry();
    assert_eq!(put(&registry, true), (1, 1, 0));
    assert_eq!(put(&registry, false), (1, 1, 0));
    assert_eq!(put(&registry, true), (0, 0, 1));
}

#[test]
fn a_vector_of_other_dimensions_than_its_model_has_is_refused() {
    let id = RouteId::of(&ToolName::new("T").unwrap(), "c d").to_string();
    let other = ROUTE.replace("a b", "c d").replace("48471ef5c302be662b439591a02cdb53", &id);
    let short = VECTOR.replace("48471ef5c302be662b439591a02cdb53", &id);
    let short = short.replace("2ef9643f000000002ef9e43e", "0000803f00000000");
    let put = |registry: &Registry, lines: &[&str], dry_run| {
        let mut importer = registry.admin().importer(dry_run).wait().unwrap();
        let records = check(&[&[Record::HEADER], lines].concat()).unwrap();
        let put = records.into_iter().try_for_each(|row| importer.put(row).wait());
        put.and_then(|()| importer.finish().wait().map(drop)).map_err(|error| error.to_string())
    };
    let why = "the vector has 2 dimensions; those of the model \"m\" have 3";
    let known = registry();
    put(&known, &[ROUTE, VECTOR], false).unwrap();
    for dry_run in [true, false] {
        let refused = put(&known, &[&other, &short], dry_run).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
    let (project, model) = (ProjectId::new("p").unwrap(), ModelId::new("m").unwrap());
    assert_eq!(known.routes().vectors(&project, &model).wait().unwrap().len(), 1);
    // Another model may have as many as it likes.
    let named = |text: &str| text.replace(r#""model":"m""#, r#""model":"n""#);
    let one = registry();
    put(&one, &[ROUTE, VECTOR], false).unwrap();
    put(&one, &[&named(&other), &named(&short)], false).unwrap();
    // In one file it may not either.
    let refused = put(&registry(), &[ROUTE, &other, VECTOR, &short], false).unwrap_err();
    assert!(refused.contains("dimensions; those of the model"), "{refused}");
}
