//! A tool as the server offers it: its name, what a model reads of it, its schema, and what it does.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use staleness_service::ServiceError;

use crate::answer::Answer;
use crate::call::Call;

/// What a client may assume of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    /// It changes nothing.
    Reads,
    /// It writes; the same call twice is the same as once.
    Settles,
    /// It writes, each time anew.
    Adds,
    /// It writes, and may put a new text in the place of one that somebody wrote.
    Rewrites,
}

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// It asks the registry alone.
    Quick,
    /// It may read documents and ask git.
    Slow,
}

/// What a tool does with its arguments.
pub(crate) type Run = dyn Fn(&Call<'_>, JsonObject) -> Result<Answer, ServiceError> + Send + Sync;

/// A tool.
pub(crate) struct Spec {
    /// As `tools/list` has it.
    pub tool: Tool,
    /// How long it may take.
    pub pace: Pace,
    /// What a model may do when it fails.
    pub next: &'static str,
    /// What it does. It blocks.
    pub run: Arc<Run>,
}

impl Spec {
    /// A tool whose arguments are an `A`.
    pub(crate) fn new<A: DeserializeOwned + JsonSchema>(
        name: &'static str,
        description: &'static str,
        effect: Effect,
        next: &'static str,
        run: impl Fn(&Call<'_>, A) -> Result<Answer, ServiceError> + Send + Sync + 'static,
    ) -> Self {
        // Nothing here reaches beyond the registry and the project. Clients ask a person before what is
        // destructive: a text that is replaced is gone.
        let hints = ToolAnnotations::new().open_world(false);
        let hints = match effect {
            Effect::Reads => hints.read_only(true).idempotent(true).destructive(false),
            Effect::Settles => hints.read_only(false).idempotent(true).destructive(false),
            Effect::Adds => hints.read_only(false).idempotent(false).destructive(false),
            Effect::Rewrites => hints.read_only(false).idempotent(false).destructive(true),
        };
        let tool = Tool::new(name, description, schema::<A>()).with_annotations(hints);
        let run = move |call: &Call<'_>, arguments: JsonObject| {
            let arguments = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
                let what = crate::text::cut(&error.to_string(), 300);
                ServiceError::invalid(format!("the arguments of {name} make no sense: {what}"))
                    .hint("correct the arguments by the tool's schema and call it again")
            })?;
            run(call, arguments)
        };
        Self { tool, pace: Pace::Quick, next, run: Arc::new(run) }
    }

    /// Describes a tool that may take long.
    pub(crate) const fn slow(mut self) -> Self {
        self.pace = Pace::Slow;
        self
    }
}

/// The schema of arguments, as short as it can be said: every model reads it in every session. The
/// folder of the project goes with every tool.
fn schema<A: JsonSchema>() -> JsonObject {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<A>();
    let mut schema = match schema.to_value() {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    schema.remove("title");
    schema.remove("description");
    schema.insert("type".into(), "object".into());
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.values_mut().for_each(shorten);
        properties.insert("project".into(), json!({ "type": "string" }));
    }
    schema
}

/// Leaves out what only repeats that a field may be left out, or how Rust stores it.
fn shorten(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    for name in ["default", "format", "minimum", "title"] {
        fields.remove(name);
    }
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|each| each != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(words)) = fields.get_mut("enum") {
        words.retain(|each| !each.is_null());
    }
    if let Some(Value::Array(mut each)) = fields.remove("anyOf") {
        each.retain(|one| one["type"] != "null");
        if let [Value::Object(only)] = each.as_slice() {
            let only = only.clone();
            only.into_iter().for_each(|(name, value)| {
                fields.entry(name).or_insert(value);
            });
            return shorten(schema);
        }
        fields.insert("anyOf".into(), Value::Array(each));
    }
    // Each word of an enumeration by itself, with its description: the words alone.
    if let Some(Value::Array(each)) = fields.get("oneOf") {
        let words: Vec<Value> = each.iter().filter_map(|one| one.get("const").cloned()).collect();
        if words.len() == each.len() {
            fields.remove("oneOf");
            fields.insert("type".into(), "string".into());
            fields.insert("enum".into(), Value::Array(words));
        }
    }
    if let Some(items) = fields.get_mut("items") {
        shorten(items);
    }
}
