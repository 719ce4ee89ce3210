//! Repositories that would take all memory or time, and processes that must not outlive us.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::time::Duration;

use staleness_sources::git::{
    DatingQuery, GitError, Limits, ProcessLimits, Program, Repo, Watch, Watchdog,
};

use crate::git_repo::Git;
