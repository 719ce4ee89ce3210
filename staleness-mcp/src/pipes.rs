//! Detects that the other end of standard input or output was closed, even while no read or write is in progress.

use std::io::{stdin, stdout};

use rustix::event::{PollFd, PollFlags, poll};

use crate::wire::Departure;

/// Starts a thread that signals `departure` when the other end of a standard stream closes. If the thread cannot be
/// started, the next read or write detects this.
pub(crate) fn watch(departure: Departure) {
    let watching = move || {
        let (input, output) = (stdin(), stdout());
        let closed = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        while !departure.gone.is_ended() {
            let mut both = vec![PollFd::new(&output, PollFlags::empty())];
            if !departure.hung_up.is_ended() {
                both.push(PollFd::new(&input, PollFlags::empty()));
            }
            match poll(&mut both, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
            if both[0].revents().intersects(closed) {
                departure.gone.end();
            }
            if both.get(1).is_some_and(|input| input.revents().intersects(closed)) {
                departure.hung_up.end();
            }
        }
    };
    drop(std::thread::Builder::new().name("pipes".into()).spawn(watching));
}
