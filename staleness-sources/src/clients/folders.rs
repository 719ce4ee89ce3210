//! Reads commands, skills and agents, each of which is a Markdown file.

use std::path::Path;

use serde::Serialize;
use staleness_core::ids::ToolName;
use staleness_core::scan::Found;
use staleness_core::tool::ToolKind;
use staleness_core::wording;

use crate::draft::Draft;
use crate::folder::{Item, Lister, ends_in};
use crate::text::read_head;
use staleness_docs::disk::{Fence, look, shown};
use staleness_docs::front_text;

/// Maximum size of a Markdown file, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Number of bytes to read from the start of a file.
const HEAD_BYTES: u64 = 64 * 1024;

wording! {
    /// The kind of content in a folder. The word is the folder's name, and the part in the source's id.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub(super) enum Shelf {
        /// `**/*.md`: slash commands.
        Commands = "commands",
        /// `*/SKILL.md`: skills.
        Skills = "skills",
        /// `*.md`: sub-agents.
        Agents = "agents",
    }
}

impl Shelf {
    const fn kind(self) -> ToolKind {
        match self {
            Self::Commands => ToolKind::SlashCommand,
            Self::Skills => ToolKind::Skill,
            Self::Agents => ToolKind::Agent,
        }
    }
}

/// The plugin to which commands, skills, agents or servers belong, if any.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Owner<'a> {
    /// The plugin's short name, used as a prefix, and its entry.
    pub(super) plugin: Option<(&'a str, &'a ToolName)>,
    pub(super) disabled: bool,
}

impl Owner<'_> {
    /// Builds the name of an entry: `/folder:name`, `plugin:name` or `agent:name`. Returns `None` if it is not a valid
    /// tool name.
    fn name(&self, shelf: Shelf, parents: &[String], name: &str) -> Option<ToolName> {
        let mut whole = String::from(match shelf {
            Shelf::Commands => "/",
            Shelf::Skills => "",
            Shelf::Agents => "agent:",
        });
        let plugin = self.plugin.map(|(plugin, _)| plugin);
        for folder in plugin.into_iter().chain(parents.iter().map(String::as_str)) {
            whole.push_str(folder);
            whole.push(':');
        }
        if name.trim().is_empty() {
            return None;
        }
        whole.push_str(name);
        ToolName::new(whole).ok()
    }

    /// Marks a tool as belonging to this owner.
    pub(super) fn own(&self, mut found: Found) -> Found {
        found.plugin = self.plugin.map(|(_, plugin)| plugin.clone());
        found.switched_off(self.disabled)
    }
}

/// Adds the contents of the folder at `path`, which may also be a Markdown file or the folder of one skill. Returns
/// false if the path does not exist, and an error if it cannot be read.
pub(super) fn look_into(
    draft: &mut Draft,
    path: &Path,
    shelf: Shelf,
    owner: &Owner<'_>,
    fence: Option<&Fence>,
) -> Result<bool, String> {
    let fault = |what| format!("{} {what}", shown(path));
    let Some(meta) = look(path, fence).map_err(fault)? else { return Ok(false) };
    let name = path.file_name().and_then(|name| name.to_str());
    if meta.is_file() && name.is_some_and(|name| ends_in(name, ".md")) {
        add(draft, shelf, owner, &[], stem(name.unwrap_or_default()), path);
        return Ok(true);
    }
    if !meta.is_dir() {
        return Err(fault("is not a folder"));
    }
    let mut lister = Lister::new(fence);
    let looked = match shelf {
        Shelf::Skills => skills(draft, path, owner, &mut lister, fence),
        Shelf::Commands | Shelf::Agents => {
            lister.files(path, ".md", shelf == Shelf::Commands, draft).map(|files| {
                for (parents, Item { name, path, .. }) in &files {
                    add(draft, shelf, owner, parents, stem(name), path);
                }
            })
        }
    };
    looked.map(|()| true)
}

fn skills(
    draft: &mut Draft,
    folder: &Path,
    owner: &Owner<'_>,
    lister: &mut Lister<'_>,
    fence: Option<&Fence>,
) -> Result<(), String> {
    let own = folder.join("SKILL.md");
    if owner.plugin.is_some() && own.is_file() {
        let name = folder.file_name().and_then(|name| name.to_str());
        add_skill(draft, owner, name.unwrap_or_default(), &own, fence);
        return Ok(());
    }
    for item in lister.list(folder, draft)? {
        if item.is_folder {
            add_skill(draft, owner, &item.name, &item.path.join("SKILL.md"), fence);
        }
    }
    Ok(())
}

fn add_skill(draft: &mut Draft, owner: &Owner<'_>, name: &str, file: &Path, fence: Option<&Fence>) {
    let is_link = file.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
    match look(file, fence.filter(|_| is_link)) {
        // A folder without `SKILL.md` is not a skill.
        Ok(None) => {}
        Err(what) => draft.fault(|| format!("{} {what}", shown(file))),
        Ok(Some(_)) => add(draft, Shelf::Skills, owner, &[], name, file),
    }
}

/// Adds one entry. If its file cannot be read, only the description is missing.
fn add(
    draft: &mut Draft,
    shelf: Shelf,
    owner: &Owner<'_>,
    parents: &[String],
    name: &str,
    file: &Path,
) {
    let Some(name) = owner.name(shelf, parents, name) else {
        draft.fault(|| format!("{} has an unusable name", shown(file)));
        return;
    };
    let description = match read_head(file, MAX_FILE_BYTES, HEAD_BYTES) {
        Ok(text) => front_text(&text, "description"),
        Err(what) => {
            draft.fault(|| format!("{} {what}", shown(file)));
            None
        }
    };
    draft.add(owner.own(Found::new(name, shelf.kind()).described(description.as_deref())));
}

/// Returns a Markdown file's name without `.md`.
fn stem(name: &str) -> &str {
    name.get(..name.len().saturating_sub(3)).unwrap_or(name)
}
