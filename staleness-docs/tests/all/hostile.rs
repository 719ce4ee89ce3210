//! Documents that are made to take long.

use crate::drift::drifted;
use crate::project::Project;

/// Each would take minutes if its time grew with its square, and takes less than a second.
#[test]
fn no_document_takes_a_time_that_grows_with_its_square() {
    let many = |unit: &str| unit.repeat(400_000 / unit.len());
    let verified = "<!-- staleness: verified 2026-01-01 -->\n\n";
    let kinds = ["source_missing", "source_changed", "reference_drift", "temporal_marker"];
    let some = |set: usize| {
        let kinds: Vec<&str> = (0..4).filter(|at| set >> at & 1 == 1).map(|at| kinds[at]).collect();
        format!("x <!-- staleness: ignore {} --> `a_b`\n", kinds.join(" "))
    };
    let project = Project::bare();
    for text in [
        // The last word of a piece goes on in something else.
        format!("{}&amp;", many("-now")),
        format!("{}\\&", many(".now")),
        format!("x {}&amp;x", many("/v1.2")),
        format!("&amp; {}&amp;", many("now,")),
        format!("{}{}&amp;", many("*now*"), many("-now")),
        // Directives about one block, and about one element with many blocks.
        many("x <!-- staleness: ignore temporal_marker --> foo_bar "),
        (0..10_000).map(|at| some(at % 15 + 1)).collect(),
        format!("{}{}", many(verified), many("- `a_b` is now\n")),
        format!("{}{}", many("<!-- staleness: ignore source_missing -->\n\n"), many("- `a_b`\n")),
        // Attributes without an end, of a document that is linked to.
        format!("<a {}>\n\nSee [x](#never).\n", many("id=")),
    ] {
        project.write("a.md", &text);
        let begun = std::time::Instant::now();
        let report = project.check_in(false, |_| {});
        assert!(begun.elapsed().as_secs() < 30, "{:?}: {}", begun.elapsed(), &text[..40]);
        assert!(report.documents.iter().any(|document| document.key.path == "a.md"));
    }
}

/// The signs whose end is missing, and a name that is in each line.
#[test]
fn no_history_takes_a_time_that_grows_with_its_square() {
    let many = |unit: &str| unit.repeat(100_000 / unit.len());
    let anchors: String = (0..10_000).map(|at| format!("<a href=\"#a{at}\">\n")).collect();
    for text in [
        format!("{}\n\n[x](#never)\n", many("title=")),
        format!("{}\n\n[x](#never)\n", many("<\n")),
        format!("# T\n\n{anchors}"),
        many("- Call `old_name()`.\n\n"),
    ] {
        let project = drifted(&text);
        let begun = std::time::Instant::now();
        let report = project.check();
        assert!(begun.elapsed().as_secs() < 15, "{:?}: {}", begun.elapsed(), &text[..40]);
        assert!(report.documents.iter().any(|document| document.key.path == "doc.md"));
    }
}
