use serde_json::json;

use super::*;

fn launch(members: &Value) -> Result<Launch, String> {
    let members = members.as_object().expect("an object").clone();
    let variable = |name: &str| (name == "TOKEN").then(|| "secret".to_owned());
    let start = Start { members, folder: Some("/plugin".into()) };
    start.launch(Path::new("/project"), &variable)
}

#[test]
fn each_client_s_way_to_start_a_server_is_read() {
    let program = |program: &str, args: &[&str], env: &[(&str, &str)]| {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let args = args.iter().map(ToString::to_string).collect();
        Ok(Target::Program { program: program.to_owned(), args, env: env.collect() })
    };
    let http = |address: &str| Ok(Target::Http(address.to_owned()));
    for (members, expected) in [
        (json!({ "command": "npx", "args": ["-y", "x"] }), program("npx", &["-y", "x"], &[])),
        (
            json!({ "command": ["npx", "x"], "environment": { "A": "b" } }),
            program("npx", &["x"], &[("A", "b")]),
        ),
        (
            json!({ "command": { "path": "x", "args": ["y"], "env": { "A": "b" } } }),
            program("x", &["y"], &[("A", "b")]),
        ),
        (
            json!({ "command": "${CLAUDE_PLUGIN_ROOT}/run", "env": { "T": "${TOKEN}" } }),
            program("/plugin/run", &[], &[("T", "secret")]),
        ),
        (
            json!({ "command": "x", "args": ["${NONE:-d}${env:TOKEN}", "{env:TOKEN}", "${"] }),
            program("x", &["dsecret", "secret", "${"], &[]),
        ),
        (
            json!({ "command": "x", "args": ["${NONE}"] }),
            Err("it needs a variable that is not set here".to_owned()),
        ),
        (
            json!({ "command": "x", "env": { "A": "${input:key}" } }),
            Err("it needs a variable that is not set here".to_owned()),
        ),
        (json!({ "url": "https://h/${TOKEN}" }), http("https://h/secret")),
        (json!({ "httpUrl": "https://h" }), http("https://h")),
        (json!({ "command": " " }), Err(NOTHING.to_owned())),
        (json!({}), Err(NOTHING.to_owned())),
    ] {
        let found = launch(&members).map(|launch| launch.target);
        assert!(found == expected, "{members}");
    }
    for (cwd, expected) in
        [("sub", "/project/sub"), ("/else", "/else"), ("${workspaceFolder}", "/project")]
    {
        let found = launch(&json!({ "command": "x", "cwd": cwd })).unwrap();
        assert_eq!(found.folder, Path::new(expected));
        assert!(!format!("{found:?}").contains("project"), "what it holds is not shown");
    }
}
