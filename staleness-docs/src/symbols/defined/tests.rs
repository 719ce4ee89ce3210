//! Tests of definitions and uses.

use super::*;

/// Returns a text and the range of the word that is marked with `«` and `»`.
pub(in crate::symbols) fn spot(marked: &str) -> (Vec<u8>, Range<usize>) {
    let start = marked.find('«').unwrap();
    let end = marked.find('»').unwrap() - '«'.len_utf8();
    (marked.replace(['«', '»'], "").into_bytes(), start..end)
}

fn is_made(marked: &str) -> bool {
    let (text, word) = spot(marked);
    makes(&text, &word, &mut 9)
}

#[test]
fn a_name_is_made_where_it_is_defined() {
    for marked in [
        "pub fn «old_name»() {",
        "struct «OldThing»;",
        "    pub(crate) «max_width»: usize,",
        "  \"«max_width»\": 3,",
        "MAX = 1\n«MAX_WIDTH» = 3",
        "    self.«max_width» = 3",
        "exports.«makeThing» = makeThing",
        "  «makeThing»(a, b) {",
        "  async «makeThing»(a: A): Promise<B> {",
        "Thing.prototype.«makeThing» = function () {",
        "func (r *Thing) «MakeThing»(a int) {",
        "static int «make_thing»(int a)\n{",
        "int «make_thing»(int a);",
        "  public static final int «MAX_WIDTH» = 3;",
        "#define «MAX_WIDTH» 3",
        "#[derive(Debug)]\npub enum E {\n    A,\n    «OldVariant»(u8),\n}",
        "enum E {\n    A {\n        a: u8,\n    },\n    «OldVariant»,\n}",
        "class Color(Enum):\n    «OLD_RED» = 1",
        "«max_width»: 3",
        "type «OldType» = u8;",
        "export { Inner as «BenchRunner» } from './inner'",
        "export {\n  Inner as «BenchRunner»,\n}",
        "pub use inner::Inner as «BenchRunner»;",
    ] {
        assert!(is_made(marked), "{marked}");
    }
}

#[test]
fn what_is_only_used_is_not_made() {
    for marked in [
        "use tower::{«ServiceBuilder»};",
        "use tower::{\n    «ServiceBuilder»,\n};",
        "import { «makeThing» } from 'thing'",
        "import { thing as «makeThing» } from 'thing'",
        "import {\n  thing as «makeThing»,\n} from 'thing'",
        "const a = b as «OldThing»",
        "    «ServiceBuilder»::new()",
        "    «make_thing»(a);",
        "  it.«makeThing»('x', function () {",
        "  «makeThing»('x', function () {",
        "    if a && «make_thing»(b) {",
        "return «make_thing»(a);",
        "  «EXTERN_STATIC»: 1",
        "export «EXTERN_STATIC»=1",
        "// fn «old_name»() {",
        "# the class «OldThing» is",
        "thing(«max_width»=3)",
        "    «max_width»=3,",
        "a == «OldThing»",
        "let x = vec![\n    «OldThing»,\n];",
    ] {
        assert!(!is_made(marked), "{marked}");
    }
}

/// Definitions as each language writes them.
#[test]
fn every_language_defines_in_its_own_shape() {
    let wrong: Vec<&str> = [
        // Bodies on one line, and signatures over several.
        "  «foo»() {}",
        "public int «f»() { return 1; }",
        "static int «f»(int a) { return a; }",
        "«f»() { echo 1; }",
        "  async «makeThing»(\n    a: A,\n    b: B,\n  ): Promise<C> {\n",
        "static int «make_thing»(\n    int a,\n    int b)\n{\n",
        "int «make_thing»(int a,\n               int b);\n",
        "  virtual bool «isThing»() const override;",
        // Go.
        "type T struct {\n\t«MaxWidth» int `json:\"w\"`\n}",
        "type T interface {\n\t«MakeThing»(a int) error\n}",
        "const (\n\tA Kind = iota\n\t«OldKind»\n)",
        "const (\n\t«OldKind» Kind = iota\n)",
        // Java and C.
        "class A {\n    List<String> «oldNames»;\n}",
        "class A {\n    int «oldCount» = 0;\n}",
        "struct a {\n    int old[4];\n    char *«old_name»;\n};",
        "typedef unsigned long «old_t»;",
        "typedef struct {\n  int a;\n} «old_t»;",
        "typedef void (*«old_cb»)(int);",
        "enum color { RED, «OLD_RED» };",
        "struct point { int x; int «old_y»; };",
        "using «OldType» = int;",
        "void Thing::«makeThing»(int a) {",
        "Thing::«Thing»() {",
        "class A {\npublic:\n    int «oldCount»;\n};",
        // TypeScript and JavaScript.
        "  constructor(private «oldName»: A, private readonly b: B) {}",
        "  constructor(private a: A, private readonly «oldName»: B) {}",
        "  @Input() «oldName»: string;",
        "const { a, «oldName» } = useThing();",
        "const [a, «setOld»] = useState(0);",
        "let «oldName» = 3;",
        "interface A { «oldName»: string; b: number }",
        // Swift, Ruby, Rust, protobuf, Haskell.
        "    let «oldName»: String",
        "    public let «oldName» = 3",
        "  def self.«old_name»(a)",
        "  attr_accessor :a, :«old_name»",
        "enum E { A, «OldVariant» }",
        "enum E { A(u8), «OldVariant»(u8) }",
        "struct S { «old_field»: u8 }",
        "pub struct S { pub a: u8, pub «old_field»: u8 }",
        "static mut «OLD_STATE»: u8 = 0;",
        "message «OldThing» {",
        "service «OldThing» {",
        "message A {\n  string «old_name» = 1;\n}",
        "data «OldThing» = A | B",
        "newtype «OldThing» = OldThing Int",
        "«oldName» :: Int -> Int",
    ]
    .into_iter()
    .filter(|marked| !is_made(marked))
    .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn calls_uses_comments_and_strings_define_nothing() {
    let wrong: Vec<&str> = [
        "«foo»(x);",
        "  «foo»(x)",
        "  «foo»(\n    a,\n    b,\n  );",
        "  «foo»(a).then(() => { b(); })",
        "  «foo»('x') { |a| a }",
        "  «foo»(x) { |a| a }",
        "if «foo»(x) { return 1; }",
        "} else if «foo»(x) { return 1; }",
        "    if a\n        && «make_thing»(b)\n    {",
        "guard «foo»(x) else { return }",
        "return «foo»(\n    a,\n);",
        "  let a = «foo»(x);",
        "    let «old_name» = 3;",
        "    let «old_name»: u8 = 3;",
        "void f() {\n    int «old_name» = 3;\n}",
        "void f(struct a *a) {\n    int «old_name» = 3;\n}",
        "func f() {\n\t«MakeThing»(a)\n}",
        "type T struct {\n\t«OtherThing»\n}",
        "func f() {\n\tx := T{\n\t\t«MaxWidth»,\n\t}\n}",
        "Thing::«makeThing»(a);",
        "    && Thing::«make_thing»(a)\n{",
        "x = Thing::«make_thing»(a) {",
        "const { «ServiceBuilder» } = require('tower');",
        "const { a } = «useThing»();",
        "const { a = «oldName» } = b;",
        "match a { E::A => 1, E::«OldVariant» => 2 }",
        "enum E { A(«OtherThing»), B }",
        "struct S { a: «OtherThing» }",
        "let a = S { «old_field»: 1 };",
        "// enum E { «OldVariant» }",
        "// void «f»() {}",
        "x = \"«f»() {}\"",
        "echo \"enum E { «OldVariant» }\"",
        "  @«Input»() a: string;",
        "  constructor(a: «OtherThing») {}",
        "  thing :a, :«old_name»",
        "the message «OldThing» is sent",
        "some data «OldThing» here",
        "using «OldType»;",
        "} «other»();",
        "typedef «OtherType» old_t;",
    ]
    .into_iter()
    .filter(|marked| is_made(marked))
    .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_variable_is_read_by_its_whole_name() {
    for marked in ["var(\"«A_DIR»\")", "${«A_DIR»:-x}", "process.env.«A_DIR»"] {
        let (text, word) = spot(marked);
        assert!(reads(&text, &word), "{marked}");
    }
    for marked in ["\"«A_DIR»=1\"", "export «A_DIR»=1", "(«A_DIR»)"] {
        let (text, word) = spot(marked);
        assert!(!reads(&text, &word), "{marked}");
    }
}

#[test]
fn a_field_is_a_flag_where_a_library_makes_it_one() {
    for marked in [
        "    #[arg(long)]\n    /// Says so.\n    «no_config»: bool,",
        "    #[arg(long)]\n    #[serde(skip)]\n    «no_config»: bool,",
        "    #[arg(\n        long,\n    )]\n    pub «no_config»: bool,",
        "    «no_config»: bool = typer.Option(False),",
        "  flags: {\n    «noConfig»: { type: 'boolean' }",
        "option :«no_config», type: :boolean",
        "if (argv.«noConfig»)",
    ] {
        let (text, word) = spot(marked);
        assert!(declares_option(&text, &word), "{marked}");
    }
    for marked in [
        "struct A {\n    «no_config»: bool,",
        "    #[serde(default)]\n    pub «no_config»: bool,",
        "    #[arg(long)]\n    a: bool,\n    #[cfg(x)]\n    «no_config»: bool,",
        "self.«no_config»",
        "args.«no_config»",
    ] {
        let (text, word) = spot(marked);
        assert!(!declares_option(&text, &word), "{marked}");
    }
}

#[test]
fn between_backticks_prose_speaks_of_a_variable() {
    let is = |marked: &str, of: fn(&[u8], &Range<usize>) -> bool| {
        let (text, word) = spot(marked);
        of(&text, &word)
    };
    for marked in ["getenv(\"«A_DIR»\")", "os.environ['«A_DIR»']", "echo $«A_DIR»", "env.«A_DIR»"]
    {
        assert!(is(marked, reads) && is(marked, is_part), "{marked}");
    }
    for marked in ["set `«A_DIR»` to a path", "\"«A_DIR»", "«A_DIR»"] {
        assert!(!is(marked, reads), "{marked}");
    }
    // A template may use the part to build a name.
    assert!(is("`«A»`", is_part) && is("a «A_»", is_part) && !is("«A»", is_part));
}
