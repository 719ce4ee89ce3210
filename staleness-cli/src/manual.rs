//! Builds the manual page: one page for all commands.

use std::io;

use clap_mangen::Man;

/// Headings that are omitted for a single command.
const DROPPED: [&str; 3] = [".SH OPTIONS", ".SH \"GLOBAL OPTIONS\"", ".SH ARGUMENTS"];

/// Returns the whole page as roff.
pub(crate) fn page(mut command: clap::Command) -> io::Result<String> {
    command.build();
    let mut page = Vec::new();
    let man = Man::new(command.clone().disable_help_subcommand(true));
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    page.extend_from_slice(b".SH COMMANDS\n");
    for sub in command.get_subcommands() {
        section(sub, &mut page)?;
    }
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(String::from_utf8_lossy(&page).replace(".SH EXTRA", ".SH NOTES"))
}

/// Appends a command and its subcommands, each with its own options. Global options are described once.
fn section(command: &clap::Command, page: &mut Vec<u8>) -> io::Result<()> {
    if command.get_name() == "help" {
        return Ok(());
    }
    let title = command.get_bin_name().unwrap_or_else(|| command.get_name()).replace('-', "\\-");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.extend_from_slice(format!(".SS \"{title}\"\n").as_bytes());
    let about =
        clap_mangen::roff::Roff::new().text([clap_mangen::roff::roman(about.as_str())]).to_roff();
    page.extend_from_slice(about.as_bytes());
    let hidden = |arg: clap::Arg| {
        let drop = arg.is_global_set() || ["help", "version"].contains(&arg.get_id().as_str());
        arg.hide(drop)
    };
    let own = command.clone().mut_args(hidden);
    let mut options = Vec::new();
    Man::new(own).render_options_section(&mut options)?;
    let options = String::from_utf8_lossy(&options);
    for line in options.lines().filter(|line| !DROPPED.contains(line)) {
        page.extend_from_slice(line.as_bytes());
        page.push(b'\n');
    }
    for sub in command.get_subcommands() {
        section(sub, page)?;
    }
    Ok(())
}
