use super::*;

#[test]
fn a_tool_is_of_the_server_with_the_longest_name_however_many_there_are() {
    let mut many =
        (0..20_000).map(|at| (format!("mcp__s{at}__"), true)).collect::<BTreeMap<_, _>>();
    for own in ["mcp__a__", "mcp__a__b__", "mcp__c___"] {
        many.insert(own.to_owned(), false);
    }
    let unread = vec![("a/b.json".to_owned(), String::new())];
    let now = Current { servers: many, unread, ..Current::default() };
    for (tool, own) in [
        ("mcp__a__é", Some("mcp__a__")),
        ("mcp__a__b__x", Some("mcp__a__b__")),
        ("mcp__c___x", Some("mcp__c___")),
        ("mcp__d__x", None),
        ("é", None),
    ] {
        assert_eq!(now.prefix_of(tool), own, "{tool}");
    }
    let mut locked = Lock::default();
    for at in 0..MAX_ENTRIES {
        locked.insert(TOOL, &format!("mcp__none{at}__x"), String::new(), at);
    }
    for name in ["a/b.json", "a/b.json#hub", "a/b.json/c", "a/b.jsonc", "a"] {
        locked.insert("server", name, String::new(), 0);
    }
    let moved = now.compare(&locked).moved;
    assert_eq!(moved.len(), MAX_ENTRIES + 2, "what cannot be read is not said to be removed");
    assert_eq!([&moved[0].name, &moved[1].name], ["a", "a/b.jsonc"]);
}

#[test]
fn nothing_is_written_that_is_refused_when_it_is_read() {
    let digest = || "0".repeat(64);
    let of = |names: &mut dyn Iterator<Item = String>| {
        let mut lock = Lock::default();
        names.for_each(|name| assert!(lock.insert("skill", &name, digest(), 0)));
        Current { lock, ..Current::default() }.to_lock(None)
    };
    assert!(of(&mut (0..MAX_ENTRIES).map(|at| at.to_string())).is_ok());
    for (mut names, why) in [
        ((0..=MAX_ENTRIES).map(|at| at.to_string()).collect::<Vec<_>>(), "20000 entries"),
        (vec!["x".repeat(MAX_LINE)], "line 6 is too long"),
        ((0..2_000).map(|at| format!("{}{at}", "x".repeat(3_000))).collect(), "4194304 bytes"),
    ] {
        let refused = of(&mut names.drain(..)).unwrap_err();
        assert!(refused.message.contains(why), "{refused:?}");
    }
}
