//! Names that many things bear: which of them a document means.

use crate::documents_drift::after;

#[test]
fn a_lone_name_in_small_letters_is_gone_when_it_was_an_item() {
    let text = "Uses `top_penalty`, `useParse` and `_helper`.\n";
    let fields = "class A:\n    top_penalty: float\n    def f(self, useParse=None):\n        \
                  self._helper = useParse\n        thing({'top_penalty': 1})\n";
    assert!(after(text, &[("a.py", fields)], &[("a.py", "x\n")]).is_empty());
    let items = "def top_penalty(a):\n    pass\nuseParse = 1\nclass A:\n    def _helper(self):\n        pass\n";
    let drift = ["1:7 drift top_penalty", "1:22 drift useParse", "1:37 drift _helper"];
    assert_eq!(after(text, &[("a.py", items)], &[("a.py", "x\n")]), drift);
    // With what holds it the name says which is meant, and so does one with a capital.
    let text = "Uses `A.top_penalty` and `TopPenalty`.\n";
    let fields = "class A:\n    top_penalty: float\n    TopPenalty: float\n";
    let drift = ["1:7 drift A.top_penalty", "1:27 drift TopPenalty"];
    assert_eq!(after(text, &[("a.py", fields)], &[("a.py", "x\n")]), drift);
}
