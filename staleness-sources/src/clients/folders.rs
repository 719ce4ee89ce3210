//! Commands, skills and agents: things that are a Markdown file each.

use std::path::Path;

use staleness_core::ids::ToolName;
use staleness_core::scan::Found;
use staleness_core::tool::ToolKind;

use crate::draft::Draft;
use crate::folder::{Item, Lister, is_markdown};
use crate::front_matter;
use crate::text::read_head;
use staleness_docs::disk::{Fence, look, shown};

/// The largest Markdown file whose front matter is read, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Length of the beginning that is read, in bytes.
const HEAD_BYTES: u64 = 64 * 1024;

/// Contents of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shelf {
    /// `**/*.md`: slash commands.
    Commands,
    /// `*/SKILL.md`: skills.
    Skills,
    /// `*.md`: sub-agents.
    Agents,
}

impl Shelf {
    pub(super) const ALL: [Self; 3] = [Self::Commands, Self::Skills, Self::Agents];

    /// The folder's name, and the part of the source.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Skills => "skills",
            Self::Agents => "agents",
        }
    }

    /// The word for one thing of it.
    pub(super) const fn kind_word(self) -> &'static str {
        match self {
            Self::Commands => "command",
            Self::Skills => "skill",
            Self::Agents => "agent",
        }
    }

    const fn kind(self) -> ToolKind {
        match self {
            Self::Commands => ToolKind::SlashCommand,
            Self::Skills => ToolKind::Skill,
            Self::Agents => ToolKind::Agent,
        }
    }
}

/// Provider of commands, skills, agents or servers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Owner<'a> {
    /// The plugin that provides them: the name that prefixes theirs, and the plugin's own entry.
    pub(super) plugin: Option<(&'a str, &'a ToolName)>,
    /// The client has switched all of them off.
    pub(super) disabled: bool,
}

impl Owner<'_> {
    /// A name as it is called: `/folder:name`, `plugin:name`, `agent:name`.
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

    /// A tool of this owner.
    pub(super) fn own(&self, mut found: Found) -> Found {
        found.plugin = self.plugin.map(|(_, plugin)| plugin.clone());
        found.switched_off(self.disabled)
    }
}

/// Adds what the folder at `path` holds; `path` may also be a single Markdown file, or the folder
/// of a single skill. Returns false if nothing is there, and an error if it says nothing.
pub(super) fn look_into(
    draft: &mut Draft,
    path: &Path,
    shelf: Shelf,
    owner: &Owner<'_>,
    fence: Option<&Fence>,
) -> Result<bool, String> {
    let fault = |what| format!("{}: {what}", shown(path));
    let Some(meta) = look(path, fence).map_err(fault)? else { return Ok(false) };
    let name = path.file_name().and_then(|name| name.to_str());
    if meta.is_file() && name.is_some_and(is_markdown) {
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
            lister.markdown(path, shelf == Shelf::Commands, draft).map(|files| {
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
        // A folder without `SKILL.md` is no skill.
        Ok(None) => {}
        Err(what) => draft.fault(|| format!("{}: {what}", shown(file))),
        Ok(Some(_)) => add(draft, Shelf::Skills, owner, &[], name, file),
    }
}

/// Adds one thing. A file that cannot be read still is one: only its description is unknown.
fn add(
    draft: &mut Draft,
    shelf: Shelf,
    owner: &Owner<'_>,
    parents: &[String],
    name: &str,
    file: &Path,
) {
    let Some(name) = owner.name(shelf, parents, name) else {
        draft.fault(|| format!("{}: has a name that cannot be used", shown(file)));
        return;
    };
    let description = match read_head(file, MAX_FILE_BYTES, HEAD_BYTES) {
        Ok(text) => front_matter::description(&text),
        Err(what) => {
            draft.fault(|| format!("{}: {what}", shown(file)));
            None
        }
    };
    draft.add(owner.own(Found::new(name, shelf.kind()).described(description.as_deref())));
}

/// A Markdown file's name without its ending.
fn stem(name: &str) -> &str {
    name.get(..name.len().saturating_sub(3)).unwrap_or(name)
}
