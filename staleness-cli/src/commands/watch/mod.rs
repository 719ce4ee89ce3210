//! `watch`: shows tools, documents, knowledge and work on a live screen, with keys to change them.

mod screen;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyEventKind};
use staleness::ids::{Scope, ToolKey};
use staleness::knowledge::Item;
use staleness::registry::ScopeChoice;
use staleness::report::{KnowledgeReport, ToolReport, WorkReport};
use staleness::tool::Hold;
use staleness::verdict::{Level, Verdict};
use staleness::work::Work;
use staleness::{Registry, Wait, clock};
use staleness_core::journal::Revision;
use staleness_service::Silent;
use staleness_service::documents::{self, Asked as Checked};
use staleness_service::fixes::{self, FixedDocument};
use staleness_service::knowledge::{self, World};
use staleness_service::limits;
use staleness_service::when::ago;
use staleness_service::work as service;

use super::overview::Overview;
use super::tools::by_hand;
use super::typed::can_ask;
use super::work::{act, open_by_age};
use crate::args::Global;
use crate::error::{CliError, ErrorKind, in_words};
use crate::output::tools::clients;
use crate::output::work::what;
use crate::output::{Output, escape, reasons};
use crate::settings::{Access, Settings};
use screen::{Asked, Screen};

/// Maximum wait for a key before the store is read again.
const TICK: Duration = Duration::from_millis(500);
/// Time that the screen has to end after a signal, before the process exits.
const GRACE: Duration = Duration::from_secs(3);
/// Age at which the configuration of the clients is read again.
const OLD: Duration = Duration::from_secs(30);

/// A line of a list, with its evidence.
#[derive(Clone, Debug)]
struct Row {
    key: Key,
    level: Level,
    /// The name, the state and the time.
    cells: [String; 3],
    /// The reason for doubt, or the description.
    why: String,
    evidence: Vec<String>,
}

/// The record that a line shows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Tool(ToolKey, Hold),
    /// A paragraph of a document.
    Block(String),
    Item(String, ScopeChoice),
    Work(String, ScopeChoice),
}

/// A change that can be undone.
#[derive(Debug)]
enum Undo {
    /// The tool, and its hold after the change and before it.
    Hold(ToolKey, [Hold; 2]),
    /// The item after the change, and before it.
    Work(Box<(Work, Work)>),
    /// The item after the change, and before it. `None` if it had no row.
    Item(Box<(Item, Option<Item>)>),
    /// The document's path, and its text before the change.
    Text(String, Box<FixedDocument>),
}

/// Shows the screen until a key or a signal ends it.
pub(crate) fn run(global: &Global, out: &Output) -> Result<(), CliError> {
    if !can_ask(out) {
        return Err(CliError::new(ErrorKind::Usage, "watch needs a terminal")
            .hint("`staleness board` and `staleness review` print this once"));
    }
    let mut watch = Watch::new(global)?;
    let stop = limits::stopped();
    let trouble =
        |error| CliError::new(ErrorKind::Io, format!("the terminal: {}", in_words(&error)));
    let mut terminal = ratatui::try_init().map_err(trouble)?;
    let alive = end_anyway(&stop);
    let shown = watch.show(&mut terminal, &stop, &limits::suspended());
    drop(alive);
    ratatui::restore();
    shown.map_err(trouble)
}

/// Exits the process if the screen has not ended [`GRACE`] after a signal: if the terminal is gone, waiting for a key
/// never returns. Dropping the returned sender reports that the screen has ended.
fn end_anyway(stop: &Arc<AtomicBool>) -> Sender<()> {
    let (shown, ended) = channel();
    let stop = Arc::clone(stop);
    std::thread::spawn(move || {
        let is_shown = |wait| ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
        while is_shown(TICK) {
            if stop.load(Ordering::Relaxed) && is_shown(GRACE) {
                ratatui::restore();
                std::process::exit(0);
            }
        }
    });
    shown
}

struct Watch<'a> {
    global: &'a Global,
    screen: Screen,
    revision: Option<Revision>,
    read_at: Instant,
    undo: Vec<Undo>,
}

impl<'a> Watch<'a> {
    fn new(global: &'a Global) -> Result<Self, CliError> {
        let (screen, read_at) = (Screen::default(), Instant::now());
        let mut watch = Self { global, screen, revision: None, read_at, undo: Vec::new() };
        watch.read()?;
        Ok(watch)
    }

    fn settings(&self) -> Result<Settings, CliError> {
        Settings::new(self.global, None, false)
    }

    fn read(&mut self) -> Result<(), CliError> {
        let settings = self.settings()?;
        let registry = settings.open(Access::Look)?;
        self.revision = Some(registry.admin().revision().wait()?);
        self.read_at = Instant::now();
        let Overview { scan, on, off, remembered, .. } = Overview::read(&settings, &registry)?;
        let work = open_by_age(&registry, &settings)?;
        let now = settings.now;
        self.screen.root = escape(&scan.root).into_owned();
        self.screen.lists = [
            on.iter().chain(&off).map(|it| tool(it, now)).collect(),
            remembered.doubtful.iter().map(|it| item(it, Key::Block(it.id.clone()))).collect(),
            remembered
                .knowledge
                .iter()
                .map(|it| item(it, Key::Item(it.id.clone(), scope(&it.scope))))
                .collect(),
            work.iter().map(|it| work_row(it, now)).collect(),
        ];
        Ok(())
    }

    fn show(
        &mut self,
        terminal: &mut ratatui::DefaultTerminal,
        stop: &AtomicBool,
        pause: &AtomicBool,
    ) -> std::io::Result<()> {
        loop {
            terminal.draw(|frame| self.screen.draw(frame))?;
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if pause.swap(false, Ordering::Relaxed) {
                ratatui::restore();
                limits::suspend();
                *terminal = ratatui::try_init()?;
                continue;
            }
            if event::poll(TICK)?
                && let Event::Key(key) = event::read()?
                && key.kind == KeyEventKind::Press
            {
                match self.screen.press(key) {
                    Asked::Nothing => continue,
                    Asked::Quit => return Ok(()),
                    Asked::Pause => pause.store(true, Ordering::Relaxed),
                    asked => {
                        let done =
                            self.carry_out(&asked).and_then(|told| self.read().map(|()| told));
                        self.screen.told = done.unwrap_or_else(|error| error.message);
                    }
                }
            } else if self.is_old()
                && let Err(error) = self.read()
            {
                self.screen.told = error.message;
            }
        }
    }

    /// Returns true if the store has changed, or the state on the screen is old.
    fn is_old(&self) -> bool {
        let now = || -> Result<_, CliError> {
            let registry = self.settings()?.open(Access::Look)?;
            Ok(registry.admin().revision().wait()?)
        };
        self.read_at.elapsed() > OLD || now().ok().is_some_and(|now| Some(now) != self.revision)
    }

    /// Carries out a request. Returns the text to show at the bottom of the screen.
    fn carry_out(&mut self, asked: &Asked) -> Result<String, CliError> {
        let settings = self.settings()?;
        let hold = |key: &ToolKey, hold| {
            let registry = settings.open(Access::Write)?;
            let report = registry.tools().set_hold(by_hand(&settings, key.clone(), None), hold);
            Ok::<_, CliError>(report.wait()?.status_word.as_str())
        };
        match asked {
            Asked::Pin(Key::Tool(key, before)) => {
                let to = if *before == Hold::Pinned { Hold::None } else { Hold::Pinned };
                let status = hold(key, to)?;
                self.undo.push(Undo::Hold(key.clone(), [to, *before]));
                let what = if to == Hold::Pinned { "pinned" } else { "no longer pinned" };
                Ok(format!("{} is {what}: {status}; press u to undo", key.name))
            }
            Asked::Verify(Key::Item(id, scope)) => {
                let world = World::new(&settings, None, &Silent);
                let registry = settings.open(Access::Write)?;
                let rows = || registry.knowledge().rows(&settings.project.id).wait();
                let before = rows()?;
                knowledge::verify(&world, std::slice::from_ref(id), *scope, None)?;
                let is_new = |it: &Item| it.key.id.as_str() == id && !before.contains(it);
                if let Some(left) = rows()?.into_iter().find(is_new) {
                    let before = before.into_iter().find(|it| it.key == left.key);
                    self.undo.push(Undo::Item(Box::new((left, before))));
                }
                Ok(format!("{id} is marked as still true; press u to undo"))
            }
            Asked::Verify(Key::Work(id, scope)) => {
                let registry = settings.open(Access::Write)?;
                let before = service::find(&registry, &settings, id, *scope)?;
                let left = registry.work().touch(before.key.clone(), clock::now()).wait()?;
                self.undo.push(Undo::Work(Box::new((left, before))));
                Ok(format!("{id} is marked as still relevant; press u to undo"))
            }
            Asked::Verify(Key::Block(id)) => {
                let place = place(&settings, &settings.open(Access::Look)?, id)?;
                let (path, line) = place.ok_or_else(|| gone(id))?;
                let marked = fixes::verified(&settings, &path, line).map_err(CliError::invalid)?;
                write(&settings, &path, &marked)?;
                self.undo.push(Undo::Text(path, Box::new(marked.undone())));
                Ok(format!("{id} is marked as still true; press u to undo"))
            }
            Asked::Settle(Key::Work(id, scope)) => {
                let registry = settings.open(Access::Write)?;
                let before = service::find(&registry, &settings, id, *scope)?;
                let (done, _) = service::resolve(&settings, id, *scope, act(&settings))?;
                let left = service::find(&registry, &settings, id, *scope)?;
                self.undo.push(Undo::Work(Box::new((left, before))));
                Ok(format!("{id}: {} → {}; press u to undo", done.from, done.to))
            }
            Asked::Settle(Key::Block(_)) => {
                Ok("correct it in its file or with `check --fix`; v marks it as still true"
                    .to_owned())
            }
            Asked::Undo => match self.undo.pop() {
                Some(Undo::Hold(key, [left, before])) => {
                    self.read()?;
                    let is_left = |row: &Row| row.key == Key::Tool(key.clone(), left);
                    if !self.screen.lists[0].iter().any(is_left) {
                        return Ok(format!(
                            "{} has changed since then, so nothing was undone",
                            key.name
                        ));
                    }
                    Ok(format!("{} is {} again", key.name, hold(&key, before)?))
                }
                Some(Undo::Work(both)) => {
                    let (left, before) = *both;
                    let id = before.key.to_string();
                    let registry = settings.open(Access::Write)?;
                    registry.work().restore(left, before, act(&settings)).wait()?;
                    Ok(format!("{id} was restored"))
                }
                Some(Undo::Item(both)) => {
                    let (left, before) = *both;
                    let id = left.key.id.to_string();
                    let registry = settings.open(Access::Write)?;
                    registry.knowledge().restore(left, before, act(&settings)).wait()?;
                    Ok(format!("{id} was restored"))
                }
                Some(Undo::Text(path, before)) => {
                    write(&settings, &path, &before)?;
                    Ok(format!("{path} was restored"))
                }
                None => Ok("nothing to undo".to_owned()),
            },
            _ => Ok("that key does nothing here".to_owned()),
        }
    }
}

/// Returns one line per signal, with its kind and reason, and a line with the next action.
fn evidence(verdict: &Verdict) -> Vec<String> {
    let line =
        |it: &staleness::verdict::Signal| format!("{}: {}", it.kind.as_str(), escape(&it.reason));
    let action = format!("→ {}", verdict.action.as_str());
    verdict.signals.iter().map(line).chain([action]).collect()
}

fn tool(it: &ToolReport, now: staleness::Timestamp) -> Row {
    let used = it.last_used_at.map_or_else(|| "never used".into(), |at| ago(now, at));
    let told = [
        ("kind", it.kind.as_str().to_owned()),
        ("clients", clients(it)),
        ("uses", it.outcomes.clone()),
    ];
    let mut evidence = evidence(&it.verdict);
    evidence.extend(told.iter().map(|(what, told)| format!("{what}: {told}")));
    Row {
        key: Key::Tool(it.key.clone(), it.hold),
        level: it.verdict.level,
        cells: [
            escape(it.key.name.as_str()).into_owned(),
            it.status_word.as_str().to_owned(),
            used,
        ],
        why: reasons(&it.verdict),
        evidence,
    }
}

fn item(it: &KnowledgeReport, key: Key) -> Row {
    let mut evidence = evidence(&it.verdict);
    evidence.push(escape(&it.title).into_owned());
    Row {
        key,
        level: it.verdict.level,
        cells: [escape(&it.id).into_owned(), it.verdict.word().to_owned(), String::new()],
        why: reasons(&it.verdict),
        evidence,
    }
}

const fn scope(scope: &Scope) -> ScopeChoice {
    if matches!(scope, Scope::Global) { ScopeChoice::Global } else { ScopeChoice::Project }
}

/// Returns the path and the last line of a paragraph, or `None` if the last check did not find the paragraph.
fn place(
    settings: &Settings,
    registry: &Registry,
    id: &str,
) -> Result<Option<(String, u32)>, CliError> {
    let known = documents::known_at_hand(settings, registry)?.documents;
    let found = id.rsplit_once(':').and_then(|(path, line)| {
        let document = known.iter().find(|it| it.key.path == path)?;
        let block = document.found.iter().find(|it| it.line.to_string() == line)?;
        Some((path.to_owned(), block.last_line))
    });
    Ok(found)
}

fn gone(id: &str) -> CliError {
    CliError::invalid(format!("{id} has changed since the last check; check again"))
}

/// Writes a document, and checks it again.
fn write(settings: &Settings, path: &str, text: &FixedDocument) -> Result<(), CliError> {
    text.write().map_err(|why| CliError::invalid(format!("{path} {why}")))?;
    let paths = [documents::on_disk(settings, path)];
    documents::check(settings, Checked { paths: &paths, ..Checked::default() }, &Silent)?;
    Ok(())
}

fn work_row(it: &WorkReport, now: staleness::Timestamp) -> Row {
    let mut evidence = evidence(&it.verdict);
    evidence.push(escape(&it.text).into_owned());
    let state = format!("{} {}", it.kind.as_str(), it.status.as_str().replace('_', " "));
    let why = reasons(&it.verdict);
    Row {
        key: Key::Work(it.key.to_string(), scope(&it.key.scope)),
        level: it.verdict.level,
        cells: [it.key.to_string(), state, ago(now, it.updated_at)],
        why: if why.is_empty() { escape(&what(it)).into_owned() } else { why },
        evidence,
    }
}
