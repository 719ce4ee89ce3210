//! What was found as annotations of GitHub Actions.
//!
//! The form: <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>.

use staleness::verdict::Level;

use super::findings::{Finding, Findings};
use crate::output::escape;

/// One annotation for each finding.
pub(crate) fn annotations(findings: &Findings) -> String {
    findings.all().map(annotation).collect()
}

fn annotation(finding: &Finding) -> String {
    let told = &finding.told;
    let command = match told.verdict.level {
        Level::Stale => "error",
        Level::Review => "warning",
        Level::Fresh => "notice",
    };
    let mut properties = Vec::new();
    let path = told.path.as_deref().unwrap_or_default();
    // A file of the user is no file of the repository.
    let outside = path.starts_with("~/");
    if !outside {
        let line = told.line.unwrap_or(1);
        properties.push(format!("file={}", property(path)));
        properties.push(format!("line={line},endLine={}", finding.last_line.max(line)));
    }
    let verdict = &told.verdict;
    let title = format!("{}: {}", verdict.level.as_str(), verdict.action.as_str());
    properties.push(format!("title={}", property(&title)));
    let mut reasons: Vec<String> =
        verdict.signals.iter().map(|signal| data(&escape(&signal.reason))).collect();
    if outside {
        reasons.insert(0, data(&escape(&told.id)));
    }
    format!("::{command} {}::{}\n", properties.join(","), reasons.join("%0A"))
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_property_or_a_command_is_escaped() {
        assert_eq!(property("a,b:c%\r\n"), "a%2Cb%3Ac%25%0D%0A");
        assert_eq!(data("100%: one, two\n"), "100%25: one, two%0A");
    }
}
