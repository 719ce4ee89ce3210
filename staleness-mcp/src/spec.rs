//! A tool of the server: its name, texts for the model, schemas, and function.

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use staleness_service::ServiceError;

use crate::answer::Answer;
use crate::arguments::check;
use crate::call::Call;

/// The effect of a tool, as announced to clients.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    /// The tool changes nothing.
    Reads,
    /// The tool writes. Repeating a call has no further effect.
    Settles,
    /// The tool writes something new on each call.
    Adds,
    /// The tool writes, and may replace an existing text.
    Rewrites,
}

/// The expected duration of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// The call only queries the registry.
    Quick,
    /// The call may read documents and run git.
    Slow,
}

/// The texts and the effect of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    /// The name used in calls.
    pub name: &'static str,
    /// The name shown to people.
    pub title: &'static str,
    /// Keywords for clients that search for tools instead of showing all to the model.
    pub search_hint: &'static str,
    /// The description. Begins with when to call the tool.
    pub description: &'static str,
    pub effect: Effect,
    /// The next step for a model if the call fails.
    pub next: &'static str,
}

/// A function that runs a tool with its arguments.
pub(crate) type Run = dyn Fn(&Call<'_>, JsonObject) -> Result<Answer, ServiceError> + Send + Sync;

pub(crate) struct Spec {
    /// The tool, as in `tools/list`.
    pub tool: Tool,
    pub pace: Pace,
    /// The next step for a model if the call fails.
    pub next: &'static str,
    /// The tool's function. Blocks.
    pub run: Arc<Run>,
}

impl Spec {
    /// Creates a tool with arguments of type `A` and a result of type `T`.
    pub(crate) fn new<A: DeserializeOwned + JsonSchema, T: Serialize + JsonSchema>(
        about: About,
        run: impl Fn(&Call<'_>, A) -> Result<Answer<T>, ServiceError> + Send + Sync + 'static,
    ) -> Self {
        let About { name, title, search_hint, description, effect, next } = about;
        // No tool accesses anything outside the registry and the project. Clients ask a person before
        // destructive calls, and replacing a text is destructive.
        let hints = ToolAnnotations::new().open_world(false);
        let hints = match effect {
            Effect::Reads => hints.read_only(true).idempotent(true).destructive(false),
            Effect::Settles => hints.read_only(false).idempotent(true).destructive(false),
            Effect::Adds => hints.read_only(false).idempotent(false).destructive(false),
            Effect::Rewrites => hints.read_only(false).idempotent(false).destructive(true),
        };
        let input = Arc::new(input_schema::<A>());
        let tool = Tool::new(name, description, Arc::clone(&input))
            .with_title(title)
            .with_raw_output_schema(Arc::new(output_schema::<T>()))
            .with_annotations(hints)
            .with_meta(meta("anthropic/searchHint", search_hint.into()));
        let run = move |call: &Call<'_>, arguments: JsonObject| {
            check(&input, &arguments)?;
            let arguments = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
                ServiceError::invalid(crate::text::cut(&error.to_string(), 300))
                    .hint("correct the arguments to match the tool's schema, and call it again")
            })?;
            run(call, arguments).map(Answer::into_json)
        };
        Self { tool, pace: Pace::Quick, next, run: Arc::new(run) }
    }

    pub(crate) const fn slow(mut self) -> Self {
        self.pace = Pace::Slow;
        self
    }

    /// Marks the tool as always shown to the model, even by clients that load tools by search.
    pub(crate) fn always_loaded(mut self) -> Self {
        let meta = self.tool.meta.get_or_insert_default();
        meta.insert("anthropic/alwaysLoad".into(), true.into());
        self
    }
}

fn meta(key: &str, value: Value) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert(key.into(), value);
    meta
}

/// Returns the schema of the arguments, as short as possible because every model reads it in every session.
/// Every tool also takes the project's folder.
fn input_schema<A: JsonSchema>() -> JsonObject {
    let mut schema = schema::<A>();
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    let project = "Folder of another project";
    properties["project"] = json!({ "type": "string", "description": project });
    schema
}

/// Returns the schema of a tool's result: its fields and their types. Nothing is required, because the result of a
/// failed call has only the field `error`.
fn output_schema<T: JsonSchema>() -> JsonObject {
    let mut schema = Value::Object(schema::<T>());
    keep_types(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

fn keep_types(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    for name in ["additionalProperties", "description", "required"] {
        fields.remove(name);
    }
    if let Some(items) = fields.get_mut("items") {
        keep_types(items);
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(keep_types);
    }
}

fn schema<A: JsonSchema>() -> JsonObject {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    shorten(&mut schema);
    let Value::Object(mut schema) = schema else { return JsonObject::new() };
    schema.remove("description");
    schema.insert("type".into(), "object".into());
    schema
}

/// Removes redundant parts: nullability, and Rust number formats.
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
    // Keeps only the words of an enumeration of described words.
    if let Some(Value::Array(each)) = fields.get("oneOf") {
        let words: Vec<Value> = each.iter().filter_map(|one| one.get("const").cloned()).collect();
        if words.len() == each.len() {
            fields.remove("oneOf");
            fields.insert("enum".into(), Value::Array(words));
        }
    }
    // The words imply the type.
    if fields.contains_key("enum") {
        fields.remove("type");
    }
    if let Some(items) = fields.get_mut("items") {
        shorten(items);
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(shorten);
    }
}
