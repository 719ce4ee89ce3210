use serde_json::json;

use super::*;

fn launch(members: &Value) -> Result<Launch, String> {
    launch_of(members, false)
}

fn launch_of(members: &Value, has_bare_variables: bool) -> Result<Launch, String> {
    let members = members.as_object().expect("an object").clone();
    let variable = |name: &str| (name == "TOKEN").then(|| "secret".to_owned());
    let start = Start { has_bare_variables, members, folder: Some("/plugin".into()) };
    start.launch(Path::new("/project"), &variable)
}

#[test]
fn each_client_s_way_to_start_a_server_is_read() {
    let program = |program: &str, args: &[&str], env: &[(&str, &str)]| {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let args = args.iter().map(ToString::to_string).collect();
        Ok(Target::Program { program: program.to_owned(), args, env: env.collect() })
    };
    let http = |url: &str| Ok(Target::Http { url: url.to_owned(), headers: BTreeMap::new() });
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
            Err("it needs a variable or an input that has no value here".to_owned()),
        ),
        (
            json!({ "command": "x", "env": { "A": "${input:key}" } }),
            Err("it needs a variable or an input that has no value here".to_owned()),
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

#[test]
fn each_client_s_headers_are_read() {
    let headers = |members: Value| {
        launch(&members).map(|launch| match launch.target {
            Target::Http { headers, .. } => headers.into_iter().collect(),
            Target::Program { .. } => vec![],
        })
    };
    let bearer = |value: &str| Ok(vec![("Authorization".to_owned(), value.to_owned())]);
    let url = "https://h";
    for (members, expected) in [
        (
            json!({ "url": url, "headers": { "Authorization": "Bearer ${TOKEN}" } }),
            bearer("Bearer secret"),
        ),
        (json!({ "url": url, "headers": { "Authorization": "${NONE:-d}" } }), bearer("d")),
        (json!({ "url": url, "headers": { "Authorization": "${NONE}" } }), Err(UNSET.to_owned())),
        (json!({ "url": url, "http_headers": { "Authorization": "x" } }), bearer("x")),
        (
            json!({ "url": url, "env_http_headers": { "Authorization": "TOKEN", "X-Other": "NONE" } }),
            bearer("secret"),
        ),
        (json!({ "url": url, "bearer_token_env_var": "TOKEN" }), bearer("Bearer secret")),
        (json!({ "url": url, "bearer_token_env_var": "NONE" }), Err(UNSET.to_owned())),
        (json!({ "url": url, "headers": { "X": 5 }, "http_headers": [] }), Ok(vec![])),
        (
            json!({ "url": url, "type": "sse" }),
            Err("it uses only SSE, which is not supported".to_owned()),
        ),
    ] {
        assert_eq!(headers(members.clone()), expected, "{members}");
    }
}

#[test]
fn gemini_s_variables_need_no_braces() {
    let args = |has_bare_variables| {
        let members = json!({ "command": "x", "args": ["a$TOKEN-$", "$TOKEN${TOKEN}"] });
        launch_of(&members, has_bare_variables).map(|launch| match launch.target {
            Target::Program { args, .. } => args,
            Target::Http { .. } => vec![],
        })
    };
    assert_eq!(args(false).unwrap(), ["a$TOKEN-$", "$TOKENsecret"]);
    assert_eq!(args(true).unwrap(), ["asecret-$", "secretsecret"]);
}
