//! Rewrites sentences of other crates in the words of this server.

use staleness::tool::PresenceCause;

/// Commands of the CLI with the equivalent tools of this server. All other commands must be run by a person.
const TOOLS: &[(&str, &str)] = &[("tools list", "discover_tools"), ("stale", "list_stale")];

/// Words that precede a command to run.
const VERBS: [&str; 2] = ["see ", "run "];

/// Rewrites a sentence for a model, which has the tools of this server and no shell. A command becomes the
/// equivalent tool. A command or remedy that needs a person becomes a request to the user.
pub(crate) fn for_model(text: &str) -> String {
    if !text.contains("`staleness ") && !text.contains(": ") {
        return text.to_owned();
    }
    let mut parts = text.split("`staleness ");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (command, rest) = part.split_once('`').unwrap_or((part, ""));
        let verb = VERBS.iter().find(|verb| told.ends_with(**verb) && !asks(&told, verb));
        let Some(verb) = verb else {
            told.push_str(&format!("`staleness {command}`{rest}"));
            continue;
        };
        told.truncate(told.len() - verb.len());
        let equal = TOOLS.iter().find(|(ours, _)| command == *ours);
        match equal {
            Some((_, tool)) => told.push_str(&format!("call {tool}")),
            None => told.push_str(&format!("ask the user to run `staleness {command}`")),
        }
        told.push_str(rest);
    }
    for remedy in PresenceCause::ALL.iter().filter_map(|cause| cause.remedy()) {
        told = told.replace(&format!(": {remedy}"), &format!(": ask the user to {remedy}"));
    }
    told
}

/// Returns true if the text before the verb already asks the user.
fn asks(text: &str, verb: &str) -> bool {
    text.len() >= verb.len() && text[..text.len() - verb.len()].ends_with("user to ")
}

#[cfg(test)]
mod tests {
    use staleness_service::model_text::{ask, cause};

    use super::*;

    #[test]
    fn a_command_becomes_a_tool_or_a_request_to_the_user() {
        for (text, told) in [
            ("see `staleness tools list`", "call discover_tools"),
            ("see `staleness stale`", "call list_stale"),
            (
                "it changed: see `staleness tools diff mcp__a__b`",
                "it changed: ask the user to run `staleness tools diff mcp__a__b`",
            ),
            (
                "ask the user to run `staleness doctor` now",
                "ask the user to run `staleness doctor` now",
            ),
            (
                "not approved: approve it in the client",
                "not approved: ask the user to approve it in the client",
            ),
            ("`staleness chek` is gone", "`staleness chek` is gone"),
            ("see `staleness", "see `staleness"),
            ("", ""),
        ] {
            assert_eq!(for_model(text), told);
            assert_eq!(for_model(told), told, "twice");
        }
    }

    /// Checks every cause and remedy, and the text for an unknown one.
    #[test]
    fn no_cause_and_no_remedy_sends_a_model_to_a_shell() {
        let remedies = PresenceCause::ALL.iter().filter_map(|cause| cause.remedy());
        let reasons = remedies.map(|remedy| format!("listed in x: {remedy}"));
        let asked = PresenceCause::ALL.iter().filter_map(|cause| cause.remedy()).map(ask);
        let causes = PresenceCause::ALL.iter().map(|each| cause(each.as_str()));
        let told = causes.chain([cause("?")]).chain(asked).map(|each| each.to_string());
        for text in told.chain(reasons) {
            let told = for_model(&text);
            for command in told.match_indices("`staleness ").map(|found| found.0) {
                assert!(told[..command].ends_with("ask the user to run "), "{told}");
            }
            let waits = PresenceCause::ALL.iter().filter_map(|cause| cause.remedy());
            let waits = waits.filter(|remedy| told.contains(remedy)).count();
            assert_eq!(told.matches("ask the user to ").count(), waits, "{told}");
        }
    }
}
