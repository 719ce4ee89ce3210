//! The screen of `watch`, and the meaning of its keys. It uses neither the terminal nor the store.

use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row as TableRow, Table, TableState, Wrap};
use staleness::verdict::Level;

use super::{Key, Row};

const NAMES: [&str; 4] = ["tools", "documents", "knowledge", "work"];
/// The width in columns below which the table is cut off.
const NARROW: u16 = 60;

const HELP: &str = "tab list  / filter  enter evidence  p pin  v verify  s settle  u undo  q quit";

/// A request that a key makes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Nothing,
    Quit,
    Pause,
    Pin(Key),
    Verify(Key),
    Settle(Key),
    Undo,
}

#[derive(Debug, Default)]
pub(super) struct Screen {
    pub(super) root: String,
    pub(super) lists: [Vec<Row>; 4],
    /// The result of the last request.
    pub(super) told: String,
    list: usize,
    chosen: TableState,
    filter: String,
    is_typing: bool,
    is_open: bool,
}

impl Screen {
    /// Returns the rows of the shown list that contain each word of the filter.
    fn rows(&self) -> Vec<&Row> {
        let words: Vec<String> = self.filter.split_whitespace().map(str::to_lowercase).collect();
        let fits = |row: &&Row| {
            let text = format!("{} {}", row.cells.join(" "), row.why).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        self.lists[self.list].iter().filter(fits).collect()
    }

    fn row(&self) -> Option<&Row> {
        self.rows().get(self.chosen.selected()?).copied()
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> Asked {
        self.told.clear();
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return Asked::Quit,
                KeyCode::Char('z') => return Asked::Pause,
                _ => {}
            }
        }
        if self.is_typing {
            match key.code {
                KeyCode::Char(c) => self.filter.push(c),
                KeyCode::Backspace => drop(self.filter.pop()),
                KeyCode::Esc => {
                    self.filter.clear();
                    self.is_typing = false;
                }
                KeyCode::Enter => self.is_typing = false,
                _ => {}
            }
            self.chosen.select(Some(0));
            return Asked::Nothing;
        }
        let of_row = |asked: fn(Key) -> Asked| {
            self.row().map_or(Asked::Nothing, |row| asked(row.key.clone()))
        };
        match key.code {
            KeyCode::Char('q') => return Asked::Quit,
            KeyCode::Char('p') => return of_row(Asked::Pin),
            KeyCode::Char('v') => return of_row(Asked::Verify),
            KeyCode::Char('s') => return of_row(Asked::Settle),
            KeyCode::Char('u') => return Asked::Undo,
            KeyCode::Char('/') => self.is_typing = true,
            KeyCode::Enter => self.is_open = !self.is_open,
            KeyCode::Esc if self.is_open => self.is_open = false,
            KeyCode::Esc => self.filter.clear(),
            KeyCode::Down | KeyCode::Char('j') => self.chosen.select_next(),
            KeyCode::Up | KeyCode::Char('k') => self.chosen.select_previous(),
            KeyCode::PageDown => self.chosen.scroll_down_by(10),
            KeyCode::PageUp => self.chosen.scroll_up_by(10),
            KeyCode::Tab | KeyCode::Right => self.turn(1),
            KeyCode::BackTab | KeyCode::Left => self.turn(NAMES.len() - 1),
            _ => {}
        }
        Asked::Nothing
    }

    fn turn(&mut self, by: usize) {
        self.list = (self.list + by) % NAMES.len();
        self.chosen.select(Some(0));
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let count = self.rows().len();
        let at = self.chosen.selected().unwrap_or(0).min(count.saturating_sub(1));
        self.chosen.select((count > 0).then_some(at));
        let below = if self.is_open { Constraint::Percentage(40) } else { Constraint::Length(0) };
        let parts = [Constraint::Length(2), Constraint::Fill(1), below, Constraint::Length(1)];
        let [head, list, evidence, foot] = Layout::vertical(parts).areas(frame.area());
        frame.render_widget(self.head(), head);
        let table = table(&self.rows());
        frame.render_stateful_widget(table, list, &mut self.chosen);
        if let Some(row) = self.row().filter(|_| self.is_open) {
            let lines: Vec<Line<'_>> =
                row.evidence.iter().map(|line| Line::from(&**line)).collect();
            let block = Block::new().borders(Borders::TOP).title(row.cells[0].as_str());
            frame.render_widget(
                Paragraph::new(lines).wrap(Wrap { trim: false }).block(block),
                evidence,
            );
        }
        let foot_text = if self.is_typing {
            format!("/{}▏", self.filter)
        } else if !self.told.is_empty() {
            self.told.clone()
        } else if frame.area().width < NARROW {
            format!("{} columns are too narrow; use at least {NARROW}", frame.area().width)
        } else if !self.filter.is_empty() {
            format!("/{}  (esc shows all)", self.filter)
        } else {
            HELP.to_owned()
        };
        frame.render_widget(Paragraph::new(foot_text).style(dim()), foot);
    }

    fn head(&self) -> Paragraph<'_> {
        let tab = |(at, name): (usize, &&str)| {
            let doubtful = self.lists[at].iter().filter(|row| row.level > Level::Fresh).count();
            let text = format!(" {name} {doubtful}/{} ", self.lists[at].len());
            let style =
                if at == self.list { Style::new().add_modifier(Modifier::REVERSED) } else { dim() };
            Span::styled(text, style)
        };
        let tabs: Vec<Span<'_>> = NAMES.iter().enumerate().map(tab).collect();
        Paragraph::new(vec![
            Line::from(self.root.as_str()).style(Style::new().add_modifier(Modifier::BOLD)),
            Line::from(tabs),
        ])
    }
}

fn table(rows: &[&Row]) -> Table<'static> {
    let lines = rows.iter().map(|row| {
        let [name, state, when] = row.cells.clone();
        let color = match row.level {
            Level::Stale => Color::Red,
            Level::Review => Color::Yellow,
            Level::Fresh => Color::Reset,
        };
        let cells = [
            Cell::new(state).style(Style::new().fg(color)),
            Cell::new(name),
            Cell::new(when).style(dim()),
            Cell::new(row.why.clone()),
        ];
        TableRow::new(cells)
    });
    let widths =
        [Constraint::Max(18), Constraint::Fill(2), Constraint::Max(10), Constraint::Fill(3)];
    Table::new(lines, widths).row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use staleness::registry::ScopeChoice;

    use super::*;

    fn row(name: &str, level: Level) -> Row {
        Row {
            key: Key::Work(name.into(), ScopeChoice::Either),
            level,
            cells: [name.into(), "plan todo".into(), "3d ago".into()],
            why: format!("why {name}"),
            evidence: vec![format!("evidence of {name}")],
        }
    }

    fn screen() -> Screen {
        let work = vec![row("one", Level::Stale), row("two", Level::Fresh)];
        Screen {
            root: "/p".into(),
            lists: [vec![], vec![], vec![], work],
            list: 3,
            ..Screen::default()
        }
    }

    fn shown(screen: &mut Screen, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| screen.draw(frame)).unwrap();
        terminal.backend().to_string()
    }

    fn press(screen: &mut Screen, code: KeyCode) -> Asked {
        screen.press(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn keys_choose_filter_open_and_ask() {
        let mut screen = screen();
        let work = |id: &str| Key::Work(id.into(), ScopeChoice::Either);
        let text = shown(&mut screen, 80, 10);
        for part in ["/p", "tools 0/0", "work 1/2", "plan todo", "why one", "q quit"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("evidence of"));
        press(&mut screen, KeyCode::Enter);
        assert!(shown(&mut screen, 80, 10).contains("evidence of one"));
        press(&mut screen, KeyCode::Down);
        assert_eq!(press(&mut screen, KeyCode::Char('s')), Asked::Settle(work("two")));
        screen.told = "two: todo".into();
        assert!(shown(&mut screen, 80, 10).contains("two: todo"));
        press(&mut screen, KeyCode::Up);
        assert!(shown(&mut screen, 80, 10).contains("q quit"), "the keys are shown again");
        for key in "/on".chars() {
            press(&mut screen, KeyCode::Char(key));
        }
        let text = shown(&mut screen, 80, 10);
        assert!(text.contains("why one") && !text.contains("why two"), "{text}");
        press(&mut screen, KeyCode::Enter);
        assert_eq!(press(&mut screen, KeyCode::Char('v')), Asked::Verify(work("one")));
        press(&mut screen, KeyCode::Tab);
        shown(&mut screen, 80, 10);
        assert_eq!(press(&mut screen, KeyCode::Char('p')), Asked::Nothing, "no tool is there");
        assert_eq!(press(&mut screen, KeyCode::Char('q')), Asked::Quit);
    }

    #[test]
    fn a_small_terminal_shows_what_fits() {
        let mut screen = screen();
        screen.is_open = true;
        for (width, height) in [(20, 6), (20, 1), (1, 1), (3, 40)] {
            shown(&mut screen, width, height);
        }
        assert!(shown(&mut screen, 20, 6).contains("plan todo"));
    }
}
