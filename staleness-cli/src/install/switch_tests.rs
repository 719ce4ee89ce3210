use super::*;

fn of(file: &str, at: &[&str], change: SwitchChange) -> Switch {
    Switch { path: file.into(), at: at.iter().map(|key| (*key).to_owned()).collect(), change }
}

fn json_of(text: &str, at: &[&str], change: SwitchChange) -> Result<String, Fault> {
    Switches(vec![of("a.json", at, change)]).install(text)
}

fn toml_of(text: &str) -> Result<String, Fault> {
    let change = SwitchChange::Set("enabled", false);
    Switches(vec![of("a.toml", &["mcp_servers", "we.ird \"x"], change)]).install(text)
}

#[test]
fn a_name_is_added_to_a_list_wherever_it_begins() {
    let added =
        |text: &str| json_of(text, &["mcp", "excluded"], SwitchChange::AddName("a\"b\n".into()));
    for (before, after) in [
        ("", "{\n  \"mcp\": {\n    \"excluded\": [\"a\\\"b\\n\"]\n  }\n}\n"),
        ("{\"mcp\": {}}", "{\"mcp\": {\"excluded\": [\"a\\\"b\\n\"]}}"),
        ("{\"mcp\": {\"excluded\": []}}", "{\"mcp\": {\"excluded\": [\"a\\\"b\\n\"]}}"),
        (
            "{ // mine\r\n\t\"mcp\": {\r\n\t\t\"excluded\": [\"x\"], // why\r\n\t},\r\n}\r\n",
            "{ // mine\r\n\t\"mcp\": {\r\n\t\t\"excluded\": [\"x\", \"a\\\"b\\n\"], // why\r\n\t},\r\n}\r\n",
        ),
    ] {
        let text = added(before).unwrap();
        assert_eq!(text, after);
        assert_eq!(added(&text).unwrap(), text, "once");
    }
    for (before, line, what) in [
        ("{\n\"mcp\": null}", 2, "cannot be changed safely; switch it off in the client"),
        ("{\n\"mcp\": 1}", 2, "is not an object; switch it off in the client"),
        (
            "{\n\"mcp\": {\n\"excluded\": \"a\"}}",
            3,
            "is not a list of names; switch it off in the client",
        ),
        ("{\"mcp\": {}, \"mcp\": {}}", 1, "has a duplicate key in an object"),
        ("{\n\"mcp\"", 2, "is not valid JSON"),
        ("[]", 1, "is not a JSON object"),
    ] {
        let fault = added(before).unwrap_err();
        assert_eq!((fault.line, fault.what.as_str()), (line, what), "{before}");
    }
}

#[test]
fn a_server_is_removed_or_gets_a_member_only_where_it_is() {
    let remove =
        |text: &str, name: &str| json_of(text, &["mcpServers", name], SwitchChange::Remove);
    let text = "{\n  \"a\": 1, // c\n  \"mcpServers\": {\n    \"x\": {\"env\": {\"K\": 1}},\n    \"y\": {}\n  }\n}\n";
    let without = "{\n  \"a\": 1, // c\n  \"mcpServers\": {\n    \"y\": {}\n  }\n}\n";
    assert_eq!(remove(text, "x").unwrap(), without);
    assert!(remove(without, "x").unwrap_err().what.starts_with("was not found"));
    let off = |text: &str, name: &str| {
        json_of(text, &["mcpServers", name], SwitchChange::Set("disabled", true))
    };
    let y = "\"y\": {\n      \"disabled\": true\n    }";
    assert_eq!(off(text, "y").unwrap(), text.replace("\"y\": {}", y));
    let on = text.replace("\"y\": {}", "\"y\": {\"disabled\": false}");
    assert_eq!(off(&on, "y").unwrap(), on.replace("false", "true"));
    for name in ["z", "*", "", "__proto__"] {
        assert!(off(text, name).is_err(), "{name}");
    }
}

#[test]
fn a_table_of_codex_is_switched_off_in_place() {
    let head = "# c\r\n[mcp_servers.'we.ird \"x'] # d\r\n";
    let rest = "command = 'npx'\r\n[mcp_servers.'we.ird \"x'.env]\r\nK = 'v'\r\n";
    let off = "enabled = false\r\n";
    assert_eq!(toml_of(&format!("{head}{rest}")).unwrap(), format!("{head}{off}{rest}"));
    let on = format!("{head}{rest}").replace(
        "[mcp_servers.'we.ird \"x'.env]",
        "enabled = true\r\n[mcp_servers.'we.ird \"x'.env]",
    );
    assert_eq!(toml_of(&on).unwrap(), on.replace("true", "false"));
    let bare = "\u{feff}[mcp_servers.\"we.ird \\\"x\"]";
    assert_eq!(toml_of(bare).unwrap(), format!("{bare}\nenabled = false"));
    for (text, what) in [
        ("[mcp_servers.y]\ncommand = 'x'\n", "was not found where expected"),
        ("[mcp_servers]\n'we.ird \"x' = { command = 'x' }\n", "is not a separate table"),
        ("mcp_servers.'we.ird \"x'.command = 'x'\n", "is not a separate table"),
        ("[mcp_servers.'we.ird \"x'.env]\nK = 'v'\n", "is not a separate table"),
        ("[mcp_servers", "is not valid TOML"),
    ] {
        let fault = toml_of(text).unwrap_err();
        assert!(fault.what.starts_with(what), "{text}: {}", fault.what);
    }
}
