//! JSON Schema, as much of it as the schemas use that are checked here: a crate for all of it would bring forty
//! others. A word that is not known is a fault, so nothing passes unseen.

use std::collections::BTreeSet;

use serde_json::Value;

/// Words that say nothing of a value.
const REMARKS: [&str; 6] = ["$schema", "$id", "title", "description", "default", "definitions"];

/// Returns the faults of a document, each with its place.
pub(crate) fn faults(root: &Value, document: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    judge(root, root, document, "", &mut faults);
    faults
}

fn judge(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    for (word, rule) in schema.as_object().unwrap() {
        let is_met = match word.as_str() {
            "$ref" => {
                let target = rule.as_str().unwrap().strip_prefix('#').unwrap();
                judge(root, root.pointer(target).unwrap(), value, at, faults);
                true
            }
            "type" => is_of_type(value, rule.as_str().unwrap()),
            "enum" => rule.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "minItems" => {
                value.as_array().is_none_or(|all| all.len() as u64 >= rule.as_u64().unwrap())
            }
            "uniqueItems" => value.as_array().is_none_or(|all| {
                let texts: BTreeSet<String> = all.iter().map(Value::to_string).collect();
                texts.len() == all.len()
            }),
            "items" => {
                for (index, each) in value.as_array().into_iter().flatten().enumerate() {
                    judge(root, rule, each, &format!("{at}/{index}"), faults);
                }
                true
            }
            "required" => {
                let names = rule.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                value.is_object() && names.into_iter().all(|name| value.get(name).is_some())
            }
            "properties" => {
                for (name, rule) in rule.as_object().unwrap() {
                    if let Some(each) = value.get(name) {
                        judge(root, rule, each, &format!("{at}/{name}"), faults);
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
                let all = value.as_object().into_iter().flatten();
                let others: Vec<_> = all.filter(|(name, _)| !is_known(name)).collect();
                match rule {
                    Value::Bool(allowed) => *allowed || others.is_empty(),
                    rule => {
                        for (name, each) in others {
                            judge(root, rule, each, &format!("{at}/{name}"), faults);
                        }
                        true
                    }
                }
            }
            "anyOf" | "oneOf" => {
                let fits = |rule: &&Value| {
                    let mut faults = Vec::new();
                    judge(root, rule, value, at, &mut faults);
                    faults.is_empty()
                };
                let fitting = rule.as_array().unwrap().iter().filter(fits).count();
                fitting == 1 || fitting > 1 && word == "anyOf"
            }
            "format" => is_of_format(value.as_str().unwrap_or_default(), rule.as_str().unwrap()),
            remark => REMARKS.contains(&remark),
        };
        if !is_met {
            faults.push(format!("{at}: {word} {rule}"));
        }
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => false,
    }
}

fn is_of_format(text: &str, name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c);
    let (scheme, _) = text.split_once(':').unwrap_or_default();
    let has_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    match name {
        "uri-reference" => text.chars().all(allowed),
        "uri" => text.chars().all(allowed) && has_scheme,
        _ => false,
    }
}
