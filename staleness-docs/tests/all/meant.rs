//! Names that many things bear: which of them a document means.

use crate::drift::after;
use crate::others::without;
use crate::project::{Project, found};

#[test]
fn a_lone_name_in_small_letters_is_gone_when_it_was_an_item() {
    let text = "Uses `top_penalty`, `useParse` and `_helper`.\n";
    let fields = "class A:\n    top_penalty: float\n    def f(self, useParse=None):\n        \
                  self._helper = useParse\n        thing({'top_penalty': 1})\n";
    assert!(after(text, &[("a.py", fields)], &[("a.py", "x\n")]).is_empty());
    let items = "def top_penalty(a):\n    pass\nuseParse = 1\nclass A:\n    def _helper(self):\n        pass\n";
    let drift = ["1:7 drift top_penalty", "1:22 drift useParse", "1:37 drift _helper"];
    assert_eq!(after(text, &[("a.py", items)], &[("a.py", "x\n")]), drift);
    // A key of data is no item, whatever it looks like.
    let keys = "top_penalty = 3\nuseParse: int = 4\n_helper = function (a) {\n";
    for name in ["a.properties", "a.yml", "a.toml"] {
        assert!(after(text, &[(name, keys)], &[(name, "x\n")]).is_empty(), "{name}");
    }
    // With what holds it the name says which is meant, and so does one with a capital.
    let text = "Uses `A.top_penalty` and `TopPenalty`.\n";
    let fields = "class A:\n    top_penalty: float\n    TopPenalty: float\n";
    let drift = ["1:7 drift A.top_penalty", "1:27 drift TopPenalty"];
    assert_eq!(after(text, &[("a.py", fields)], &[("a.py", "x\n")]), drift);
}

#[test]
fn a_flag_is_gone_when_the_project_offered_it() {
    let text = "Pass `--frozen-file`.\n";
    let gone = |code: &str| after(text, &[("a.py", code)], &[("a.py", "x\n")]);
    for code in [
        "run(['npm', 'ci', '--frozen-file'])\n",
        "sh('npm ci --frozen-file')\n",
        "npm ci \\\n  --frozen-file\n",
        "tool(f'--frozen-file={path}')\n",
    ] {
        assert!(gone(code).is_empty(), "{code}");
    }
    for code in [
        "add_argument('--frozen-file')\n",
        "'''\n  -f, --frozen-file  Says\n'''\n",
        "if a == '--frozen-file'",
    ] {
        assert_eq!(gone(code), ["1:7 drift --frozen-file"], "{code}");
    }
    // What makes a flag of another name was no flag.
    let text = "Pass `--no-frozen`.\n";
    assert!(after(text, &[("a.py", "frozen = 1\n")], &[("a.py", "x\n")]).is_empty());
}

#[test]
fn a_bare_file_name_that_several_files_bore_says_nothing() {
    let text = "See `simple_case.py`.\n";
    let gone = |files: &[&str]| found(&without(text, files).check(), "doc.md");
    let one = gone(&["a/simple_case.py"]);
    assert_eq!(one, ["1:6 drift simple_case.py"]);
    assert!(gone(&["a/simple_case.py", "b/simple_case.py"]).is_empty());
    // One that lies beside the document, or at the root, is the one that is meant.
    let near = gone(&["simple_case.py", "b/simple_case.py"]);
    assert_eq!(near, ["1:6 missing Path simple_case.py"]);
    let text = "See `b/simple_case.py`.\n";
    let files = ["a/simple_case.py", "b/simple_case.py"];
    assert_eq!(
        found(&without(text, &files).check(), "doc.md"),
        ["1:6 missing Path b/simple_case.py"]
    );
}

#[test]
fn a_file_name_is_there_while_code_reads_files_of_it() {
    let text = "In `shoplint.yml` and `site_map.yml`.\n";
    let mut project = without(text, &["shoplint.yml", "conf/site_map.yml"]);
    let gone = ["1:5 missing Path shoplint.yml", "1:24 drift site_map.yml"];
    assert_eq!(found(&project.check(), "doc.md"), gone);
    // What other documents say of it is no code.
    project.write("other.md", "\"shoplint.yml\" and \"site_map.yml\"\n");
    project.commit();
    assert_eq!(found(&project.check(), "doc.md"), gone);
    project.write("a.py", "open(folder / \"shoplint.yml\")\nopen('conf/site_map.yml')\n");
    project.commit();
    assert!(found(&project.check(), "doc.md").is_empty());
    // A link leads to the file itself, and a folder says which one is meant.
    let text = "See [it](shoplint.yml) and `conf/site_map.yml`.\n";
    let mut project = without(text, &["shoplint.yml", "conf/site_map.yml"]);
    project.write("a.py", "open(\"shoplint.yml\")\nopen('other/site_map.yml')\n");
    project.commit();
    assert_eq!(found(&project.check(), "doc.md").len(), 2);
}

#[test]
fn a_path_that_the_history_knows_is_real_whatever_words_it_holds() {
    let (example, settings) = ("examples/my/run.rs", ".tool/settings.json");
    let mut project = Project::new();
    project.write(
        "doc.md",
        format!(
            "See `{example}`, `{settings}`, `my/run.rs` and `dummy/run.rs`.\n\nOr {example}.\n"
        ),
    );
    project.write(example, "x\n");
    project.write(settings, "x\n");
    project.commit();
    project.remove(example);
    project.remove(settings);
    project.commit();
    let gone = [format!("1:6 missing Path {example}"), format!("1:28 missing Path {settings}")];
    assert_eq!(found(&project.check(), "doc.md"), gone);
}

#[test]
fn mdx_is_read_as_markdown_without_its_code() {
    let mut project = Project::new();
    project.write("src/a.rs", "fn old_name() {}\n");
    let text = "import A from '../old_name'\n\n<Note>\nCall `old_name()`.\n</Note>\n";
    project.write("docs/a.mdx", text);
    project.commit();
    project.write("src/a.rs", "\n");
    project.commit();
    assert_eq!(found(&project.check(), "docs/a.mdx"), ["4:7 drift old_name"]);
}

#[test]
fn an_arrow_to_the_present_name_shows_the_change() {
    let told = |text: &str| {
        let mut project = Project::of(&[("doc.md", text), ("src/tree_building.rs", "fn x() {}\n")]);
        project.git(&["mv", "src/tree_building.rs", "src/trees.rs"]);
        project.commit();
        found(&project.check(), "doc.md").len()
    };
    assert_eq!(told("Renames (`tree_building.rs` → `trees.rs`) work.\n"), 0);
    assert_eq!(told("Renames (`src/tree_building.rs` -> `src/trees.rs`) work.\n"), 0);
    assert_eq!(told("A `trees.rs` → B, in `tree_building.rs`.\n"), 1);
    assert_eq!(told("Maps `tree_building.rs` → `output.rs`.\n"), 1);
    assert_eq!(told("See `tree_building.rs` and `trees.rs`.\n"), 1);
}
