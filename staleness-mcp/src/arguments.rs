//! Validates arguments against a tool's schema.

use rmcp::model::JsonObject;
use serde_json::Value;
use staleness_service::ServiceError;
use staleness_service::error::quoted;

pub(crate) fn check(schema: &JsonObject, arguments: &JsonObject) -> Result<(), ServiceError> {
    let empty = JsonObject::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if let Some(other) = arguments.keys().find(|name| !known.contains_key(*name)) {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        return Err(ServiceError::invalid(format!("unknown parameter {}", quoted(other)))
            .hint(format!("use {}", names.join(", "))));
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if arguments.get(name).is_none_or(Value::is_null) {
            return Err(wanted(
                &known[name],
                ServiceError::invalid(format!("`{name}` is required")),
            ));
        }
    }
    for (name, value) in arguments.iter().filter(|(_, value)| !value.is_null()) {
        fits(name, &known[name], value)?;
    }
    Ok(())
}

/// Adds the parameter's description to an error, as a hint.
fn wanted(schema: &Value, error: ServiceError) -> ServiceError {
    match schema["description"].as_str() {
        Some(what) => error.hint(format!("expected: {what}")),
        None => error,
    }
}

fn fits(name: &str, schema: &Value, value: &Value) -> Result<(), ServiceError> {
    let must_be =
        |what: &str| wanted(schema, ServiceError::invalid(format!("`{name}` must be {what}")));
    if let Some(words) = schema["enum"].as_array() {
        if words.contains(value) {
            return Ok(());
        }
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let shown = value.as_str().map_or_else(|| value.to_string(), quoted);
        let shown = crate::text::cut(&shown, 100);
        return Err(wanted(
            schema,
            ServiceError::invalid(format!("`{name}` cannot be {shown}; use {}", words.join(", "))),
        ));
    }
    match schema["type"].as_str() {
        Some("string") if !value.is_string() => Err(must_be("a string")),
        Some("boolean") if !value.is_boolean() => Err(must_be("true or false")),
        Some("integer") if value.as_u64().is_none_or(|number| number > u64::from(u32::MAX)) => {
            Err(must_be("a whole number from 0 to 4294967295"))
        }
        Some("array") => {
            let items = value.as_array().ok_or_else(|| must_be("a list"))?;
            items.iter().try_for_each(|item| fits(name, &schema["items"], item))
        }
        _ => Ok(()),
    }
}
