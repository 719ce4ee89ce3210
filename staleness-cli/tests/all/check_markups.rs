//! Documents in reStructuredText and AsciiDoc: their links, paths, flags and commands.

use crate::check_documents::told;
use crate::common::Sandbox;

const RST: &str = "\
----
Shop
----

The program is :file:`src/shop.py`, see `the router <src/router.py>`_.

Run it with :option:`--fast-path` or call ``drain_queue()``.

.. include:: parts/intro.txt

.. toctree::
   :maxdepth: 1

   pages/setup
   It <pages/kept>
   pages/other

.. code-block:: bash

   npm run lint

.. literalinclude:: src/shop.py
   :lines: 1-3

::

   Here `src/shop.py` and --fast-path are an example.

.. <!-- staleness: ignore -->

Here ``--fast-path`` is meant.
";

const ADOC: &str = "\
= Shop
:fast: --fast-path

The program is `src/shop.py`, see link:src/router.py[the router].

* Run it with `--fast-path`
** or call `drain_queue()`.

include::parts/intro.txt[]

See xref:pages/setup.rst#top[how], <<pages/never.adoc#x,never>>.

[source,bash]
----
npm run lint
----

----
Here src/shop.py and --fast-path are an example.
----

// <!-- staleness: ignore -->

Here `--fast-path` is meant.
";

#[test]
fn what_went_is_found_at_its_line_and_examples_are_left_alone() {
    for (name, text, expected) in [
        ("guide.rst", RST, &[5, 5, 7, 7, 9, 14, 20, 22][..]),
        ("guide.adoc", ADOC, &[4, 4, 6, 7, 9, 11, 15]),
    ] {
        let sandbox = Sandbox::with_history();
        let code = "def drain_queue():\n    pass\n\nparser.add_argument(\"--fast-path\")\n";
        sandbox.write("project/src/shop.py", code);
        sandbox.write("project/src/router.py", "def route():\n    pass\n");
        sandbox.write("project/parts/intro.txt", "x\n");
        for page in ["setup.rst", "kept.rst", "other.md"] {
            sandbox.write(&format!("project/pages/{page}"), "Page\n====\n");
        }
        sandbox.write("project/package.json", "{\"scripts\": {\"lint\": \"eslint\"}}");
        sandbox.write(&format!("project/{name}"), text);
        sandbox.commit("2026-01-10T00:00:00Z");
        assert!(told(&sandbox.json(&["check"])).is_empty());
        for gone in ["src/shop.py", "src/router.py", "parts/intro.txt", "pages/setup.rst"] {
            std::fs::remove_file(sandbox.project.join(gone)).unwrap();
        }
        sandbox.write("project/package.json", "{\"scripts\": {}}");
        sandbox.commit("2026-02-10T00:00:00Z");
        let found = sandbox.json(&["check"]);
        let mut lines: Vec<u64> = found["items"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|item| item["verdict"]["signals"].as_array().unwrap())
            .filter(|signal| signal["kind"] != "temporal_marker")
            .map(|signal| signal["line"].as_u64().unwrap())
            .collect();
        lines.sort_unstable();
        assert_eq!(lines, expected, "{name}: {found:#}");
        // Remembered as it was found.
        let (first, again) = (sandbox.check_now(), sandbox.check_now());
        assert_eq!(first["items"], again["items"]);
        let fixed = sandbox.json(&["check", "--fix", "--yes"]);
        assert_eq!(fixed["fix"]["lines"], 0, "no renames, and no Markdown");
    }
}

#[test]
fn no_such_document_makes_a_check_fail() {
    for (name, text) in [
        ("a.rst", "---\nTitle\n---\n\n.. code-block:: sh\n"),
        ("b.rst", ".. toctree::\n\n   *\n   self\n   https://example.org\n   a/../../../b\n"),
        ("c.rst", ":doc:`` `a <b>`_ ``` ```` :x:` .. _a: \n====\n"),
        ("d.adoc", "[source,bash]\n----\nnpm run x\n"),
        ("e.adoc", "---\nid: a\n---\nlink:[x link:a b[c] <<>> include::[]\n|===\n"),
    ] {
        let sandbox = Sandbox::with_history();
        sandbox.write(&format!("project/{name}"), text);
        let deep: String = (0..1_000).map(|at| format!("{:at$}.. note::\n", "")).collect();
        for (at, big) in ["``a``\n", "link:", "<<", ":doc:`", "`"].into_iter().enumerate() {
            sandbox.write(&format!("project/big{at}.rst"), big.repeat(10_000));
            sandbox.write(&format!("project/big{at}.adoc"), big.repeat(10_000));
        }
        sandbox.write("project/deep.rst", deep);
        sandbox.commit("2026-01-10T00:00:00Z");
        let found = sandbox.json(&["check"]);
        assert_eq!(found["documents"], 12, "{name}: {found:#}");
        assert!(told(&found).is_empty(), "{name}: {found:#}");
    }
}
