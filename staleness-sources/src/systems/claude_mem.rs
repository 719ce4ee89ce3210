//! claude-mem: a SQLite database of observations and summaries of sessions, of all projects. Based on its source
//! (`services/sqlite/SessionStore.ts`) and tested with release 13.25.3, whose schema has version 52.

use super::line::{Line, Mapped, Parts};
use super::row::Row;
use super::{Site, Table};

pub(super) const TABLES: [Table; 2] = [
    Table::of("observations", "observation", elsewhere, observation)
        .needs(&[
            "id",
            "memory_session_id",
            "project",
            "type",
            "created_at_epoch",
            "title",
            "subtitle",
            "narrative",
            "text",
            "facts",
        ])
        .internal(&SYNC),
    Table::of("session_summaries", "summary", elsewhere, summary)
        .needs(&[
            "id",
            "memory_session_id",
            "project",
            "created_at_epoch",
            "request",
            "investigated",
            "learned",
            "completed",
            "next_steps",
            "notes",
        ])
        .internal(&SYNC),
];

/// Tables about the database itself, and about synchronisation.
pub(super) const INTERNAL: [&str; 5] =
    ["schema_versions", "sync_state", "sync_outbox", "sync_entity_heads", "sync_content_outbox"];

/// Columns for synchronisation and costs.
const SYNC: [&str; 7] = [
    "content_hash",
    "created_at",
    "discovery_tokens",
    "origin_device_id",
    "origin_local_id",
    "sync_rev",
    "synced_at",
];

fn observation(row: &mut Row) -> Mapped {
    let id = id(row);
    let mut keywords = row.list("concepts");
    keywords.extend(row.text("type"));
    keywords.sort_unstable();
    keywords.dedup();
    let mut files = row.list("files_modified");
    files.extend(row.list("files_read"));
    files.sort_unstable();
    files.dedup();
    let files: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
    let body = Parts::default()
        .add(row.text("title"))
        .add(row.text("subtitle"))
        .add(row.text("narrative"))
        .add(row.text("text"))
        .list(&row.list("facts"))
        .named("Files", Some(files.join(", ")).filter(|files| !files.is_empty()));
    Mapped::Line(
        Line::knowledge("knowledge", format!("claude-mem-{id}"))
            .with("body", body.text())
            .with("keywords", keywords)
            .at("added", row.time("created_at_epoch"))
            .with("recall_count", row.number("relevance_count").filter(|count| *count > 0)),
    )
}

fn summary(row: &mut Row) -> Mapped {
    let id = id(row);
    let text = Parts::default()
        .add(row.text("request"))
        .named("Investigated", row.text("investigated"))
        .named("Learned", row.text("learned"))
        .named("Completed", row.text("completed"))
        .named("Next", row.text("next_steps"))
        .named("Notes", row.text("notes"));
    Mapped::Line(
        Line::work("note", format!("claude-mem-session-{id}"))
            .with("note_type", "session_end")
            .with("generated", true)
            .with("text", text.text())
            .at("created", row.time("created_at_epoch")),
    )
}

fn elsewhere(row: &mut Row, site: &Site<'_>) -> Option<Mapped> {
    let project = row.text("project").unwrap_or_default();
    let merged = row.text("merged_into_project");
    let is_ours = |name: &str| name.split('/').next() == Some(site.name());
    if is_ours(&project) || merged.as_deref().is_some_and(is_ours) {
        return None;
    }
    let many = if row.what == "summary" { "summaries" } else { "observations" };
    Some(Mapped::Left(format!("{many} of the project {project}")))
}

/// Takes the id of a row. The number is unique only within one database, so the session is added.
fn id(row: &mut Row) -> String {
    let session = row.text("memory_session_id").unwrap_or_default();
    let session: String = session.chars().take(8).collect();
    format!("{session}-{}", row.number("id").unwrap_or_default())
}
