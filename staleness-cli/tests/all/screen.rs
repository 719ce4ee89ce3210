//! Output as a person sees it.

use std::process::Stdio;

use crate::common::{Run, Sandbox, line, unread};

/// The line that says whom an answer is for.
const ANY: &str = "for any client (`--agent codex` answers for one)\n";

/// Returns a command's output, with this machine's folder as `~` and the project's id as `ID`.
fn screen(sandbox: &Sandbox, args: &[&str]) -> String {
    let text = sandbox.ok(args).replace(sandbox.root().to_str().unwrap(), "~");
    let projects = sandbox.json(&["project", "list"]);
    match projects["projects"][0]["id"].as_str() {
        Some(id) => text.replace(id, "ID"),
        None => text,
    }
}

/// A project with one tool of each fate.
fn fates() -> Sandbox {
    let sandbox = Sandbox::with_servers(&["github", "linear"]);
    sandbox.write("project/.claude/commands/fix.md", "---\ndescription: Fixes the build\n---\n");
    sandbox.ok(&["scan"]);
    let outcomes = ["success", "failure", "interrupted", "failure", "failure"];
    for (at, outcome) in outcomes.iter().enumerate() {
        sandbox.ok(&line(&format!(
            "--now 2026-11-20T12:0{at}:00Z record mcp__github__search --{outcome} --id r{at} --session s1"
        )));
    }
    sandbox.claude(&["github"]);
    sandbox
}

#[test]
fn nothing_known() {
    let sandbox = Sandbox::new();
    let text = screen(&sandbox, &[]);
    assert!(text.starts_with("~/project\nno tools found in "), "{text}");
    assert!(text.contains("staleness record NAME") && text.contains("--home"), "{text}");
    let none = screen(&sandbox, &["tools", "--status", "stale"]);
    assert_eq!(none, format!("no tool has that status and kind\n{ANY}"));
    let none = "no tools yet; run `staleness scan`\n";
    assert_eq!(screen(&sandbox, &["tools"]), format!("{none}{ANY}"));
    assert_eq!(
        screen(&sandbox, &["project", "list"]),
        "no projects yet; run `staleness scan` in one\n"
    );
}

#[test]
fn f1_what_is_configured_and_was_never_used_is_not_trusted() {
    let sandbox = Sandbox::with_servers(&["github", "linear"]);
    let text = screen(&sandbox, &[]);
    assert!(
        text.contains("\n2 tools configured, none used yet: nothing is known about them\n"),
        "{text}"
    );
    sandbox.ok(&["record", "mcp__github__search", "--success"]);
    let text = screen(&sandbox, &[]);
    assert!(text.contains("\nno known problems with 3 tools, 1 never used\n"), "{text}");
}

#[test]
fn a_server_that_left_is_listed_as_long_as_the_policy_of_its_kind_says() {
    let sandbox = Sandbox::with_servers(&["github", "linear"]);
    sandbox.ok(&["scan"]);
    sandbox.claude(&["github"]);
    sandbox.ok(&["scan"]);
    let lists = |set: &[&str]| {
        let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
        screen(&sandbox, &set).contains("mcp__linear__*")
    };
    assert!(lists(&[]));
    assert!(!lists(&["tools.unseen_days=0"]));
    assert!(!lists(&["kind.mcp_server.unseen_days=0"]));
    assert!(lists(&["tools.unseen_days=0", "kind.mcp_server.unseen_days=30"]));
}

#[test]
fn overview() {
    assert_eq!(screen(&fates(), &["--now", "2026-11-20T15:00:00Z"]), "\
~/project
2 of 4 tools need attention
  probation  mcp__github__search    SFIFF  used 2h ago  3 of the last 4 uses failed
  stale      mcp__linear__*                never used   removed from config: claude-code/user/mcp no longer lists it
uses, oldest first: S success, F failure, I interrupted, O offline, U unknown
run `staleness check` to find outdated documents
`staleness tools show NAME` shows the evidence, `staleness impact NAME` shows what still names it; `staleness scan` saves this state
for any client (`--agent codex` answers for one)
");
}

#[test]
fn scan() {
    let expected = "\
stale (1)
  mcp__linear__*  mcp_server  for claude-code  removed from config: claude-code/user/mcp no longer lists it
sources
  read  claude-code/user/mcp          1 found  ~/home/.claude.json
  read  claude-code/project/commands  1 found  ~/project/.claude/commands
0 added, 1 stale, 0 restored, 2 unchanged; 2 sources read
";
    assert_eq!(screen(&fates(), &["scan"]), expected);
}

#[test]
fn tools() {
    let expected = "\
\x20 active   mcp__github__*                SFIFF  used just now  claude-code
  demoted  mcp__github__search           SFIFF  used just now  claude-code  3 of the last 4 uses failed
  active   mcp__linear__*                       never used     claude-code
  active   /fix                 project         never used     claude-code  Fixes the build
uses, oldest first: S success, F failure, I interrupted, O offline, U unknown
for any client (`--agent codex` answers for one)
";
    assert_eq!(screen(&fates(), &["tools"]), expected);
}

/// F6: the list did not say which client has which tool.
#[test]
fn f6_a_list_of_tools_names_the_clients_that_list_them() {
    let sandbox = Sandbox::with_servers(&["github"]);
    let off = "[mcp_servers.github]\ncommand = \"x\"\nenabled = false\n";
    sandbox.write("home/.codex/config.toml", off);
    sandbox.ok(&["scan"]);
    assert_eq!(
        screen(&sandbox, &["tools"]),
        format!("  active  mcp__github__*      never used  claude-code, codex (off)\n{ANY}")
    );
    sandbox.ok(&["record", "Bash", "--success"]);
    let tools = screen(&sandbox, &["tools"]);
    assert!(tools.contains("Bash              S  used just now\n"), "{tools}");
    assert!(!screen(&sandbox, &["tools", "--quiet"]).contains("S success"));
}

#[test]
fn show() {
    let expected = "\
mcp__github__search  demoted
  kind          mcp_tool
  scope         global
  server        github
  presence      present (used) since 2026-11-20T12:00:00Z
  health        failing: 3 of the last 4 uses failed
  outcomes      SFIFF (oldest first: S success, F failure, I interrupted, O offline, U unknown)
  uses          5
  discovered    2026-11-20T12:00:00Z
  last seen     2026-11-20T12:04:00Z
  last used     2026-11-20T12:04:00Z
  verdict       stale 0.2 → update
                failing  3 of the last 4 uses failed
for any client (`--agent codex` answers for one)
";
    assert_eq!(screen(&fates(), &["tools", "show", "mcp__github__search"]), expected);
}

#[test]
fn a_server_that_works_names_its_tools_that_do_not() {
    let shown = screen(&fates(), &["tools", "show", "mcp__github__*"]);
    let (health, tools) = shown.split_once("  health        healthy\n").expect(&shown);
    assert!(health.contains("kind          mcp_server"), "{shown}");
    let named = "  tools         1 of 1 not active: mcp__github__search demoted\n";
    assert!(tools.starts_with(named), "{shown}");
}

#[test]
fn history() {
    let expected = "\
\x20 2026-11-20T12:04:00Z  failing  active → demoted  3 of the last 4 uses failed in session s1
  2026-11-20T12:00:00Z  added    active            used in session s1
";
    assert_eq!(screen(&fates(), &["tools", "history", "mcp__github__search"]), expected);
}

#[test]
fn descriptions_of_unknown_origin_cannot_move_the_cursor() {
    let sandbox = Sandbox::new();
    let skill = "---\nname: pdf\ndescription: \"red \\e[31m and \\u202E reversed\"\n---\n";
    sandbox.write("home/.claude/skills/pdf/SKILL.md", skill);
    let raw = "---\ndescription: raw \u{1b}[31m\u{202e}\n---\n";
    sandbox.write("home/.claude/skills/raw/SKILL.md", raw);
    for args in ["scan", "tools", "tools show raw", "tools discover raw", "tools suggest", ""] {
        let args = &line(args);
        let text = sandbox.ok(args);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{args:?}: {text:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_folders_name_cannot_add_lines() {
    let sandbox = Sandbox::new();
    let odd = sandbox.root().join("odd\n  ok  everything\u{3164}\u{1b}[8m");
    std::fs::create_dir_all(odd.join(".git")).unwrap();
    let (folder, none) = (odd.to_str().unwrap(), odd.join("none"));
    let (copy, none) = (odd.join("copy.db"), none.to_str().unwrap());
    let copy = copy.to_str().unwrap();
    for args in [
        &["--project", folder, "scan", "--verbose"][..],
        &["--project", folder],
        &["--project", folder, "doctor"],
        &["--project", folder, "hook", "--explain", "--event", "SessionStart"],
        &["project", "list"],
        &["backup", copy],
        &["backup", copy],
        &["--project", none, "tools"],
        &["--config", none, "tools"],
        &["--home", none, "scan"],
        &["--store", &format!("sqlite:{none}"), "backup", "x"],
    ] {
        let mut command = sandbox.command();
        command.args(args);
        let run = crate::common::fed(command, b"{}");
        for text in [&run.out, &run.err] {
            let unsafe_ = |c: char| c != '\n' && (c.is_control() || c == '\u{3164}');
            assert!(!text.contains(unsafe_), "{args:?}: {text:?}");
            assert!(!text.contains("\n  ok  everything"), "{args:?}: {text:?}");
        }
    }
}

#[test]
fn colours_only_where_they_are_wanted() {
    let sandbox = fates();
    let commands = ",scan --dry-run,tools,doctor,config show,tools show mcp__github__search,\
                    tools history github,tools suggest,project list";
    for args in commands.split(',').map(line) {
        let args = &args[..];
        let piped = sandbox.ok(args);
        assert!(!piped.contains('\u{1b}'), "{args:?}");
        let coloured = sandbox.ok(&[args, &["--color", "always"]].concat());
        assert!(coloured.contains("\u{1b}["), "{args:?}");
        assert_eq!(sandbox.ok(&[args, &["--color", "never"]].concat()), piped);
        let both = sandbox.ok(&[args, &["--color", "always", "--json"]].concat());
        assert!(!both.contains('\u{1b}'), "{args:?}");
        let mut command = sandbox.command();
        command.env("NO_COLOR", "1").env("CLICOLOR_FORCE", "").args(args);
        assert_eq!(Run::of(command.output().unwrap()).out, piped, "{args:?}");
    }
}

#[test]
fn quiet_prints_results_only_and_options_may_be_repeated() {
    let sandbox = fates();
    for args in ["record x --success", "tools pin x", "prune", "tools forget x --yes"].map(line) {
        assert_eq!(sandbox.ok(&[&args[..], &["--quiet"]].concat()), "", "{args:?}");
    }
    assert!(!sandbox.ok(&["--quiet"]).contains("shows the evidence"));
    assert_eq!(sandbox.ok(&["--json", "tools", "--json"]), sandbox.ok(&["tools", "--json"]));
    let twice = ["--set", "tools.unseen_days=3", "--set", "ranking.window=9", "config", "show"];
    let shown = sandbox.ok(&twice);
    assert_eq!(shown.lines().filter(|line| line.ends_with("flag")).count(), 2, "{shown}");
}

const COMMANDS: &str = ",scan,hook,record,tools,tools list,tools show,tools rank,tools suggest,\
    tools discover,tools history,tools restore,tools demote,tools pin,tools ignore,tools forget,check,\
    knowledge add,knowledge show,knowledge list,knowledge recall,knowledge verify,knowledge set,\
    knowledge done,knowledge supersede,knowledge contradict,review,project list,project forget,\
    doctor,prune,backup,config show,completions,man";
const GLOBAL: &str =
    "--store --project --home --config --set --now --json --quiet --verbose --color";

#[test]
fn every_command_has_help_with_every_global_option() {
    let sandbox = Sandbox::new();
    for command in COMMANDS.split(',').map(line) {
        for form in ["--help", "-h"] {
            let text = sandbox.ok(&[&command[..], &[form]].concat());
            assert!(text.contains("Usage: staleness"), "{command:?}");
            for option in line(GLOBAL) {
                assert!(text.contains(option), "{command:?}: {option}");
            }
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= 100, "{command:?} is {widest} columns wide");
        }
    }
    assert!(sandbox.ok(&["help", "tools", "show"]).contains("<NAME>"));
    assert!(sandbox.ok(&["--version"]).starts_with("staleness "));
}

/// Bug I1: the help of `import` named two of five shapes.
#[test]
fn i1_the_help_of_import_names_every_shape() {
    let shapes = "Outcomes, tools, knowledge, work and routes, one JSON object per line";
    assert!(Sandbox::new().ok(&["import", "--help"]).contains(shapes));
}

/// Bug L1: a terminal cut words of the overview, the doctor and a tool. Names and commands are whole, to be pasted.
#[cfg(unix)]
#[test]
fn l1_no_line_goes_beyond_a_terminal_of_80_columns() {
    let sandbox = fates();
    let (server, name) =
        ("github-enterprise-production", "mcp__github-enterprise-production__create_pull_request");
    sandbox.claude(&["github", server]);
    sandbox.ok(&["scan"]);
    for _ in 0..3 {
        sandbox.ok(&["record", name, "--failure", "--session", "s2"]);
    }
    sandbox.ok(&line(
        "--now 2026-10-01 work add plan 'Move to the new host' --id move-to-the-new-host",
    ));
    for args in [
        "",
        "doctor",
        "tools",
        "tools matrix",
        "tools unused",
        "tools unused --days 0",
        "tools rank",
        "stale",
        "review",
        "check",
        "board",
        "work list",
        "knowledge list",
        "session list",
        "scan --dry-run",
        "tools show mcp__github__search",
    ]
    .map(line)
    .into_iter()
    .chain([
        vec!["tools", "show", name],
        vec!["tools", "history", name],
        vec!["why", name],
        vec!["impact", name],
    ]) {
        let text = sandbox.shown(&args);
        let is_pasted = |text: &str| text.trim_start().starts_with("$ ") || text.contains('`');
        let wide = text.lines().filter(|line| line.chars().count() > 80 && !is_pasted(line));
        assert_eq!((wide.collect::<Vec<_>>(), text.is_empty()), (vec![], false), "{args:?}");
    }
}

/// The remedy stands at the end of a long line.
#[cfg(unix)]
#[test]
fn a_file_that_its_client_refuses_is_told_with_the_mend_in_80_columns() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"a": {"command": "x"},}}"#);
    for args in ["", "scan --dry-run", "doctor"].map(line) {
        let text = sandbox.shown(&args).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("a trailing comma is not allowed; remove it"), "{args:?}: {text}");
    }
}

#[test]
fn the_manual_page_has_every_command_and_option() {
    let sandbox = Sandbox::new();
    let page = sandbox.ok(&["man"]);
    let plain = page.replace("\\-", "-");
    assert!(plain.contains(".TH staleness 1"), "{page}");
    let more = "--fail-on --dry-run --tools-json --explain --duration-ms --all-projects --reason --scope \
                --yes --write-baseline --since --current-version --cite --evergreen";
    for option in [line(GLOBAL), line(more)].concat() {
        assert!(plain.contains(&format!("\\fB{option}\\fR")), "{option}");
    }
    for command in COMMANDS.split(',') {
        let title = format!(".SS \"staleness {command}\"");
        assert!(command.is_empty() || plain.contains(&title), "{title}");
    }
    let mut abouts: Vec<_> = plain.split(".SS ").skip(1).map(|part| part.lines().nth(1)).collect();
    let all = abouts.len();
    abouts.sort_unstable();
    abouts.dedup();
    assert_eq!(abouts.len(), all, "each command says what it is for");
    assert!(plain.contains("Exit codes"));
    let broken: Vec<_> = page.lines().filter(|line| line.starts_with('\'')).collect();
    assert!(broken.is_empty(), "taken for requests: {broken:?}");
}

#[test]
fn completions_know_the_commands_in_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.ok(&["completions", shell]);
        for word in ["scan", "doctor", "dry-run", "tools-json", "suggest", "baseline", "recall"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = fates();
    let commands = "tools,man,completions zsh,--help,config show,tools --json,doctor";
    for args in commands.split(',').map(line) {
        let mut command = sandbox.command();
        command.args(&args).stdout(unread()).stderr(Stdio::piped());
        let run = Run::of(command.spawn().unwrap().wait_with_output().unwrap());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
    }
}

/// W14: a server with many tools that was removed filled the screen.
#[test]
fn w14_a_server_that_went_speaks_for_its_tools() {
    let sandbox = Sandbox::with_servers(&["linear"]);
    sandbox.ok(&["scan"]);
    for tool in ["mcp__linear__a", "mcp__linear__b"] {
        sandbox.ok(&["record", tool, "--success"]);
    }
    sandbox.claude(&[]);
    sandbox.ok(&["scan"]);
    for command in [&[][..], &["review"]] {
        let text = sandbox.ok(command);
        let of_linear = text.lines().filter(|line| line.contains("mcp__linear__"));
        assert_eq!(text.matches(", and 2 tools with it").count(), 1, "{text}");
        assert!(of_linear.clone().all(|line| line.contains("mcp__linear__*")), "{text}");
    }
    let entries = sandbox.json(&["review"]);
    assert!(entries.to_string().matches("mcp__linear__").count() > 0, "{entries}");
    assert!(!entries.to_string().contains("mcp__linear__a"), "{entries}");
    let told = sandbox.json(&[]);
    assert_eq!(told["tools"].as_array().unwrap().len(), 3, "all of them for a program: {told}");
}
