//! Tests of items and of smaller definitions.

use super::*;

use super::defined::tests::spot;

fn is_item(marked: &str) -> bool {
    let (text, word) = spot(marked);
    makes(&text, &word, &mut 9)
}

#[test]
fn functions_types_and_values_of_a_file_are_items() {
    let wrong: Vec<&str> = [
        "pub(crate) fn «old_name»() {",
        "    def «_helper»(self, a):",
        "    async def «old_name»(self):",
        "def «old_name» a, b",
        "  def self.«old_name»(a)",
        "function Thing:«oldName»(a)",
        "struct «old_name»;",
        "struct «old_name» {",
        "type «oldName» struct {",
        "class «oldName» extends Thing {",
        "macro_rules! «old_name» {",
        "#define «old_name» \"x\"",
        "mod «old_name»;",
        "CREATE TABLE «old_names» (",
        "const «oldName» = 3;",
        "export const «oldName» = 3;",
        "    pub const «old_name»: u8 = 3;",
        "static mut «old_name»: u8 = 0;",
        "pub const fn «old_name»() -> u8 {",
        "static «old_name»: &str = \"\";",
        "static OldThing *«old_name»(void) {",
        "const «oldName» time.Duration = 3",
        "static const char *«old_name» = \"a\";",
        "  const «oldName» = (a, b) => {",
        "  const «oldName» = async (\n    a,\n    b\n  ) => {",
        "  const «oldName» = (a: A): B => a",
        "  «oldName»: function (a) {",
        "  «oldName» = async a => {",
        "exports.«oldName» = oldName",
        "  module.exports.«oldName» = oldName",
        "Thing.prototype.«oldName» = function () {",
        "  fastify.«oldName» = function () {",
        "    this.«oldName» = () => {}",
        "  «oldName»(a, b) {",
        "  async «oldName»(a: A): Promise<B> {",
        "  static «oldName»(a) {",
        "  private static «oldName»(a: B): C {",
        "  static async «oldName»(a) {",
        "func (r *Thing) «oldName»(a int) {",
        "type T interface {\n\t«oldName»(a int) error\n}",
        "const (\n\tA = iota // a\n\t«oldName»\n)",
        "const ( // a\n\n\t«oldName» = 3\n)",
        "var (\n\t«oldName» map[string]int\n)",
        "type (\n\t«oldName» struct {\n\t}\n)",
        "static int «old_name»(int a)\n{",
        "int «old_name»(int a);",
        "static int «old_count» = 0;",
        "int «old_count» = 0;",
        "CREATE TABLE IF NOT EXISTS «old_names» (",
        "pub use a::b as «old_name»;",
        "fun List<String>.«oldName»(a: A) {",
        "let rec «old_name» a b =",
        "typedef unsigned long «old_t»;",
        "typedef struct {\n  int a;\n} «old_t»;",
        "using «old_type» = int;",
        "void Thing::«oldName»(int a) {",
        "service «old_name» {",
        "«oldName» :: Int -> Int",
        "import a\n\n«old_name» = {}\n",
        "«old_name»: dict = {}",
        "«old_name»: Dict[str, \"A\"] = {}",
        "«old_name»: int | None = 3",
        "  «oldName» = function* a(b) {",
        "«old_name» <- function(a) {",
        "«old_name»() {",
    ]
    .into_iter()
    .filter(|marked| !is_item(marked))
    .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn fields_keys_parameters_and_local_values_are_no_items() {
    let wrong: Vec<&str> = [
        "f = a\n    : «oldName»(y);",
        "out << «old_name»(y);",
        "    print «old_name»($x);",
        "    co_await «old_name»(x);",
        "    «old_name»: float",
        "    «old_name»: float = 0.5",
        "    pub «old_name»: u8,",
        "struct S { «old_name»: u8 }",
        "  \"«old_name»\": 3,",
        "«old_name»: 3",
        "[table]\na = 1\n«old_name» = 3",
        "[table] # a\n«old_name» = 3",
        "[table.\"a(b)\"]\n«old_name» = 3",
        "«old_name»: \"a = b\"",
        "«old_name»: export A = 3",
        "  «old_name»: function of a",
        "    self.«old_name» = 3",
        "    this.«oldName» = a",
        "self.«old_name» = 3",
        "    «old_name» = {}",
        "  const «oldName» = 3;",
        "    let «old_name» = 3;",
        "  const «oldName» = (a + b) / 2",
        "  const «oldName» = thing(a => a)",
        "for (const «oldName» of all) {",
        "const { a, «oldName» } = useThing();",
        "    fn f(«old_name»: u8) {",
        "    def f(self, «old_name»=None):",
        "enum status { «old_name» };",
        "enum status {\n  «old_name»,\n};",
        "class A {\n    int «oldCount» = 0;\n}",
        "  constructor(private «oldName»: A) {}",
        "  attr_accessor :a, :«old_name»",
        "    struct thing *a, struct «old_name» *b",
        "    struct «old_name» b;",
        "    Calls the function «old_name» with it.",
        "    whose value is of type «old_name»",
        "The type «old_name» is read",
        "    The function «old_name» is called",
        "func f() {\n\tvar (\n\t\t«oldName» int\n\t)\n}",
        "var (\n\ta = thing(\n\t\t«oldName»,\n\t)\n)",
        "const x = (\n  «oldName» = 3\n)",
        "static «old_name_t» lock;",
        "static «old_name_t»\nf(int a)\n{",
        "static «old_name_t» f(int a) {",
        "const «old_name_t» *f(void);",
        "const «old_name_t»& f(void);",
        "static const «old_name_t» a = 3;",
        "static «old_name»::thing_t a;",
        "for (const «oldName» of all) {",
        "    «old_name»(a);",
        "    static «old_name»(a);",
        "// fn «old_name»() {",
        "DROP TABLE «old_names»;",
        "pub use a::«old_name»;",
        "  let rec «old_name» a b =",
    ]
    .into_iter()
    .filter(|marked| is_item(marked))
    .collect();
    assert_eq!(wrong, [""; 0]);
}
