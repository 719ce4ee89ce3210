//! Flags of the project, and those of other programs.

use crate::drift::after;
use crate::project::{Project, found};

const OFFERED: [(&str, &str); 1] = [("src/cli.py", "parser.add_argument('--fast')\n")];
const GONE: [(&str, &str); 1] = [("src/cli.py", "x\n")];

#[test]
fn a_flag_that_is_passed_to_another_program_is_none_of_the_project() {
    for text in [
        "Run `till mcp add --fast user`.\n",
        "```sh\ntill add \\\n  --fast user\n```\n\nLeave `--fast` out.\n",
        "Type `/shop:run --fast`.\n",
        "Run `/usr/local/bin/till --fast`.\n",
    ] {
        assert!(after(text, &OFFERED, &GONE).is_empty(), "{text}");
    }
    for text in [
        "Run `cli --fast`.\n",
        "Run `/usr/local/bin/cli --fast`.\n",
        "```sh\npython src/cli.py --fast\n```\n",
        "```sh\ntill --fast\ncli --fast\n```\n\nLeave `--fast` out.\n",
        "Pass `--fast`.\n",
    ] {
        assert!(!after(text, &OFFERED, &GONE).is_empty(), "{text}");
    }
}

#[test]
fn a_word_of_a_call_and_a_flag_in_a_test_define_none() {
    let text = "Pass `--fast`.\n";
    for (path, code) in [
        ("src/cli.py", "url.set('fast', 1)\n"),
        ("src/cli.py", "# takes `fast`\n"),
        ("tests/cli.py", "if a == '--fast':\n"),
        ("src/cli_test.go", "x.Bool(\"fast\")\n"),
    ] {
        assert!(after(text, &[(path, code)], &[(path, "x\n")]).is_empty(), "{path}: {code}");
    }
    for code in [
        "flags.Bool(\"fast\")\n",
        "x.option('fast', {})\n",
        "if 'fast' in args:\n",
        "flags.DEFINE_bool('fast', 1)\n",
        "\tflag.Var(&v, \"fast\", \"x\")\n",
        "GetOptions(\"fast\" => 1);\n",
    ] {
        assert_eq!(
            after(text, &[("a.x", code)], &[("a.x", "x\n")]),
            ["1:7 drift --fast"],
            "{code}"
        );
    }
}

#[test]
fn a_document_of_many_flags_is_read_once() {
    let lines = format!("till {}\n", "--fast ".repeat(35_000));
    let text = format!("Pass `--fast`.\n\n```text\n{lines}{}\n```\n", "sudo ".repeat(1_000));
    assert!(after(&text, &OFFERED, &GONE).is_empty());
}

#[test]
fn in_a_clone_of_another_repository_nothing_is_the_projects() {
    let block = |name: &str| {
        let lines = "npm run lint\nscripts/a.sh\ncli --fast\n";
        format!("```sh\ngit clone https://github.com/me/{name}\ncd {name}\n{lines}```\n")
    };
    let manifest =
        |scripts: &str| format!("{{\"repository\": \"me/shop\", \"scripts\": {{{scripts}}}}}");
    let told = |text: &str| {
        let lint = manifest("\"lint\": \"x\"");
        let first =
            [("doc.md", text), ("package.json", &lint), ("scripts/a.sh", "x\n"), OFFERED[0]];
        let mut project = Project::of(&first);
        project.remove("scripts/a.sh");
        project.commit_files(&[("package.json", &manifest("")), GONE[0]]);
        found(&project.check(), "doc.md").len()
    };
    assert_eq!(told(&block("shop")), 3);
    assert_eq!(told(&block("till")), 0);
    assert_eq!(told(&format!("{}# Next\n\n```sh\nnpm run lint\n```\n", block("till"))), 1);
    let left = "~~~sh\ngit clone https://github.com/me/till\ncd till\ncd ..\n~~~\n";
    assert_eq!(told(&format!("{left}\nSee `scripts/a.sh`.\n")), 1);
    assert_eq!(told(&format!("{}\nSee `scripts/a.sh`.\n", left.replace("cd ..\n", ""))), 0);
}
