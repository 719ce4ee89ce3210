//! An agent loop that consults the registry before it uses a tool.
//!
//! `tool-guard FOLDER [STORE]` uses the programs in FOLDER as tools. It reads requests from stdin, one per
//! line: `what is wanted: argument`. It tries matching tools, most trusted first, records the outcome of each
//! call, and at the end prints its assessment of each tool.
//!
//! Only [`STORE`] names a backend. Cargo features decide which one is built in.

use std::error::Error;
use std::fs;
use std::io::{self, stdin};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use staleness::ids::{Level, SourceId, ToolName};
use staleness::outcome::OutcomeKind;
use staleness::registry::{FindTools, Use};
use staleness::scan::{Found, ProjectRef, Scan, SourceReading};
use staleness::source::SourceState;
use staleness::store::Refusal;
use staleness::tool::ToolKind;
use staleness::{Registry, RegistryError, Wait, clock};

/// The default URL of the registry.
const STORE: &str = if cfg!(feature = "sqlite") {
    "sqlite:tool-guard.db"
} else if cfg!(feature = "redb") {
    "redb:tool-guard.redb"
} else {
    "memory:"
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("usage: tool-guard FOLDER [STORE]")?;
    let store = args.next().unwrap_or_else(|| STORE.into());
    let guard = Guard::open(&store, Path::new(&folder).canonicalize()?)?;
    guard.note_tools()?;
    for line in stdin().lines() {
        let line = line?;
        let (wanted, argument) = line.split_once(':').unwrap_or((&line, ""));
        match guard.serve(wanted, argument.trim())? {
            Some(answer) => println!("{wanted}: {}", answer.trim_end()),
            None => println!("{wanted}: no tool could do it"),
        }
    }
    guard.report()
}

/// An agent's tools, and the registry that knows which of them work.
struct Guard {
    folder: PathBuf,
    project: ProjectRef,
    registry: Registry,
}

impl Guard {
    fn open(store: &str, folder: PathBuf) -> Result<Self, Box<dyn Error>> {
        let project = ProjectRef::of_root(folder.display().to_string());
        Ok(Self { folder, project, registry: staleness::open(store)? })
    }

    /// Records the tools that exist now. Tools that are gone become stale.
    fn note_tools(&self) -> Result<(), Box<dyn Error>> {
        loop {
            // Read before the folder, so that an older reading never overwrites a newer one.
            let read_under = self.registry.tools().readings(&self.project.id).wait()?;
            let scan = Scan {
                project: self.project.clone(),
                read_under,
                sources: vec![self.look()?],
                indexes: Vec::new(),
                at: clock::now(),
                session: None,
                client: None,
            };
            match self.registry.tools().apply_scan(scan).wait() {
                Err(RegistryError::Rejected(Refusal::Superseded { .. })) => {}
                done => return Ok(done.map(drop)?),
            }
        }
    }

    fn look(&self) -> Result<SourceReading, Box<dyn Error>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = ToolName::new(entry?.file_name().to_string_lossy())?;
            let kind = ToolKind::of_name(name.as_str());
            found.push(Found::new(name, kind));
        }
        Ok(SourceReading {
            id: SourceId {
                project: Some(self.project.id.clone()),
                client: "tool-guard".into(),
                level: Level::Project,
                part: "tools".into(),
            },
            path: self.project.root.clone(),
            state: SourceState::Read,
            root_is_there: true,
            error: None,
            found,
        })
    }

    /// Tries matching tools, most trusted first, and records each outcome.
    fn serve(&self, wanted: &str, argument: &str) -> Result<Option<String>, Box<dyn Error>> {
        let find = FindTools::by_words(wanted, 3);
        let offers = self.registry.tools().suggest(&self.project, find, clock::now()).wait()?;
        for offer in offers.tools {
            let tool = offer.tool.key.name;
            let answer = call(&self.folder.join(tool.as_str()), argument);
            let ended = if answer.is_ok() { OutcomeKind::Success } else { OutcomeKind::Failure };
            let (op, now) = (clock::fresh_op(), clock::now());
            let used = Use::new(op, tool.clone(), ended, now, self.project.clone());
            let known = self.registry.tools().record(used).wait()?;
            for change in known.changed {
                println!("{tool} is {}: {}", known.tool.status.as_str(), change.cause);
            }
            if let Ok(answer) = answer {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// Prints all tools, best first: score, verdict, reasons and next action.
    fn report(&self) -> Result<(), Box<dyn Error>> {
        for each in self.registry.tools().rank(&self.project, usize::MAX, clock::now()).wait()? {
            let (score, name, status) =
                (each.score, &each.tool.key.name, each.tool.status.as_str());
            let why: Vec<&str> =
                each.tool.verdict.signals.iter().map(|signal| signal.reason.as_str()).collect();
            let next = each.tool.verdict.action.as_str();
            let line = format!("{score:.2}  {name:<12} {status:<8} {next:<7} {}", why.join("; "));
            println!("{}", line.trim_end());
        }
        Ok(())
    }
}

/// Runs a tool. Returns its output if it succeeded.
fn call(tool: &Path, argument: &str) -> io::Result<String> {
    let output = Command::new(tool).arg(argument).stderr(Stdio::null()).output()?;
    if !output.status.success() {
        return Err(io::Error::other(output.status.to_string()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
