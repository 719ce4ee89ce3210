//! What a session start tells the agent: names and our own sentences, within a budget.

use staleness::report::{NetChange, Telling};
use staleness::tool::Status;

use crate::output::escape;

/// The longest name that is told, in characters.
const MAX_NAME: usize = 80;

/// The text for an agent, at most `budget` characters; `None` when there is nothing to say.
///
/// Names come from files of unknown origin: they are cut, escaped and set in backticks. Nothing
/// else of a file is ever told.
pub(crate) fn text(telling: &Telling, budget: usize) -> Option<String> {
    // A server speaks for its tools: that each of them went, or came back with it, is not told.
    let follows =
        |change: &NetChange| change.to != Status::Demoted && change.cause.starts_with("server_");
    let group = |wanted: &dyn Fn(&NetChange) -> bool, line: &dyn Fn(&NetChange) -> String| {
        telling
            .changes
            .iter()
            .filter(|change| !follows(change) && wanted(change))
            .map(line)
            .collect::<Vec<_>>()
    };
    let gone = group(&|change| change.to == Status::Stale, &|change| {
        format!("{} ({})", name(&change.name), reason(&change.cause))
    });
    let failing = group(&|change| change.to == Status::Demoted, &|change| {
        format!("{} ({})", name(&change.name), reason(&change.cause))
    });
    let back = group(&|change| change.to == Status::Active && change.from.is_some(), &|change| {
        name(&change.name)
    });
    let new = group(&|change| change.to == Status::Active && change.from.is_none(), &|change| {
        name(&change.name)
    });
    let still: Vec<String> = telling
        .unreliable
        .iter()
        .map(|(tool, cause)| format!("{} ({})", name(tool), reason(cause)))
        .collect();
    let sections = [
        ("Gone since the last session, do not call", gone),
        ("Failing since the last session, avoid", failing),
        ("Still failing, avoid", still),
        ("Available again", back),
        ("New", new),
    ];
    let mut text = String::from("Tool status from `staleness`:");
    let head = text.chars().count();
    for (title, items) in &sections {
        if !items.is_empty() {
            section(&mut text, title, items, budget);
        }
    }
    (text.chars().count() > head).then_some(text)
}

/// Adds a section as far as the budget allows, and how many more there are.
fn section(text: &mut String, title: &str, items: &[String], budget: usize) {
    // Room for ", and NNNNN more" is kept, so that nothing is dropped without a word.
    const TAIL: usize = 20;
    let mut line = format!("\n- {title}: ");
    let mut shown = 0;
    for item in items {
        let more = if shown == 0 { 0 } else { 2 };
        let length = text.chars().count() + line.chars().count() + more + item.chars().count();
        if length + TAIL > budget {
            break;
        }
        if shown > 0 {
            line.push_str(", ");
        }
        line.push_str(item);
        shown += 1;
    }
    let left = items.len() - shown;
    if shown == 0 {
        line = format!("\n- {title}: {left}");
    } else if left > 0 {
        line.push_str(&format!(", and {left} more"));
    }
    if text.chars().count() + line.chars().count() <= budget {
        text.push_str(&line);
    }
}

fn name(name: &str) -> String {
    let mut short: String = escape(name).replace('`', "'").chars().take(MAX_NAME).collect();
    if name.chars().count() > MAX_NAME {
        short.push('…');
    }
    format!("`{short}`")
}

/// A cause in words. Causes are our own: a known word, or the sentence of a rule.
fn reason(cause: &str) -> String {
    match cause {
        "removed_from_config" => "removed from config".into(),
        "disabled" => "switched off".into(),
        "server_removed" => "its server was removed from config".into(),
        "server_disabled" => "its server is switched off".into(),
        "not_listed" => "its server no longer lists it".into(),
        "by_hand" => "demoted by hand".into(),
        other => other.replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, from: Option<Status>, to: Status, cause: &str) -> NetChange {
        NetChange { name: name.into(), from, to, cause: cause.into() }
    }

    #[test]
    fn nothing_to_say_says_nothing() {
        assert_eq!(text(&Telling::default(), 1_500), None);
    }

    #[test]
    fn every_kind_of_change_is_told() {
        let telling = Telling {
            changes: vec![
                change("mcp__a__*", Some(Status::Active), Status::Stale, "removed_from_config"),
                change("b", Some(Status::Active), Status::Demoted, "3 of the last 5 uses failed"),
                change("c", Some(Status::Stale), Status::Active, "configured"),
                change("d", None, Status::Active, "configured"),
            ],
            unreliable: vec![("e".into(), "4 of the last 5 uses failed".into())],
            ..Telling::default()
        };
        let told = text(&telling, 1_500).unwrap();
        for part in [
            "do not call: `mcp__a__*` (removed from config)",
            "avoid: `b` (3 of the last 5 uses failed)",
            "Still failing, avoid: `e` (4 of the last 5 uses failed)",
            "Available again: `c`",
            "New: `d`",
        ] {
            assert!(told.contains(part), "{told}");
        }
    }

    #[test]
    fn a_server_speaks_for_its_tools() {
        let telling = Telling {
            changes: vec![
                change("mcp__a__*", Some(Status::Active), Status::Stale, "removed_from_config"),
                change("mcp__a__x", Some(Status::Active), Status::Stale, "server_removed"),
                change("mcp__b__y", Some(Status::Stale), Status::Active, "server_returned"),
            ],
            ..Telling::default()
        };
        let told = text(&telling, 1_500).unwrap();
        assert!(told.contains("mcp__a__*") && !told.contains("mcp__a__x"), "{told}");
        assert!(!told.contains("mcp__b__y"), "{told}");
    }

    #[test]
    fn the_budget_holds_whatever_there_is_to_tell() {
        for count in [1, 10, 500] {
            for length in [3, 60, 500] {
                let names: Vec<NetChange> = (0..count)
                    .map(|at| {
                        let name = format!("{at}{}", "\u{202e}x".repeat(length));
                        change(&name, Some(Status::Active), Status::Stale, "disabled")
                    })
                    .collect();
                for budget in [100, 400, 1_500] {
                    let telling = Telling { changes: names.clone(), ..Telling::default() };
                    let told = text(&telling, budget).unwrap();
                    assert!(told.chars().count() <= budget, "{budget}: {told}");
                    assert!(!told.contains('\u{202e}'));
                }
            }
        }
    }
}
