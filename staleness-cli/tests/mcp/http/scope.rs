//! What a token may learn and change.

use serde_json::{Value, json};

use super::{TOKEN, start};
use crate::client::Machine;

#[test]
fn nobody_learns_which_files_there_are_outside_the_project() {
    let machine = Machine::new();
    crate::ends::gated(&machine);
    let outside = machine.root.join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("harbor.md"), "# A secret\n").unwrap();
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, machine.project.join(name)).unwrap();
    };
    link("../outside", "out");
    let whole = outside.display();
    let names = ["harbor", "meadow"];
    for name in names {
        link(&format!("../outside/{name}.md"), &format!("near-{name}.md"));
        link(&format!("{whole}/{name}.md"), &format!("far-{name}.md"));
        let text =
            format!("It is in `out/{name}.md:3`, [here](out/{name}.md), `../outside/{name}.md`.\n");
        std::fs::write(machine.project.join(format!("names-{name}.md")), text).unwrap();
    }
    let site = start(&machine);
    let session = site.begin(TOKEN, "claude-code");
    let check = |paths: Value| ("check_documents", json!({ "paths": paths }));
    let cite = |cited: String| ("save_knowledge", json!({ "body": "x", "cite": [cited] }));
    let ask = |name: &str| {
        let text =
            format!("It is in `out/{name}.md`, `../outside/{name}.md`, `{whole}/{name}.md`.");
        let all = [
            check(json!([format!("../outside/{name}.md")])),
            check(json!([format!("{whole}/{name}.md")])),
            check(json!([format!("out/{name}.md")])),
            check(json!([format!("near-{name}.md")])),
            check(json!([format!("far-{name}.md")])),
            check(json!([format!("names-{name}.md")])),
            ("check_documents", json!({ "text": text })),
            cite(format!("out/{name}.md")),
            cite(format!("near-{name}.md:1")),
            cite(format!("{whole}/{name}.md")),
        ];
        all.map(|(tool, arguments)| {
            site.call(TOKEN, &session, tool, arguments).to_string().replace(name, "NAME")
        })
    };
    let [there, not_there] = names.map(ask);
    assert_eq!(there, not_there);
    assert!(!there.concat().contains("secret"), "{there:?}");
    // All documents of the project, in which the links are skipped.
    let told = site.call(TOKEN, &session, "check_documents", json!({}));
    let skipped = told["structuredContent"]["skipped"].as_array().unwrap();
    let of = |name: &str| {
        let of_name = skipped.iter().filter(|each| each["path"].as_str().unwrap().contains(name));
        of_name.map(|each| each["reason"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of("harbor"), of("meadow"), "{told}");
}
