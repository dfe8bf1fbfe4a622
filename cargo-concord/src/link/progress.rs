//! A word on the terminal while the pass takes long.
//!
//! rustc swallows what a linker writes, and Cargo keeps what rustc writes and shows it again in later builds,
//! so the line goes straight to the terminal of the subcommand.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Time between two lines.
const INTERVAL: Duration = Duration::from_secs(5);

/// Says every few seconds that work goes on, until it is dropped.
pub(crate) struct Progress {
    /// Its end wakes the thread.
    _running: Sender<()>,
}

impl Progress {
    /// Starts to watch over the work on `artefact`; nothing happens without a `terminal`.
    pub(crate) fn start(terminal: Option<PathBuf>, artefact: &str) -> Self {
        let (running, end) = mpsc::channel::<()>();
        let artefact = artefact.to_owned();
        if let Some(terminal) = terminal {
            let start = Instant::now();
            std::thread::spawn(move || {
                while end.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    // A terminal that is gone is no reason to stop the build.
                    if let Ok(mut file) = std::fs::OpenOptions::new().append(true).open(&terminal) {
                        let seconds = start.elapsed().as_secs();
                        // Cargo's own bar stands on the line and is drawn again after it.
                        let _ = writeln!(
                            file,
                            "\r\x1b[Kconcord: {artefact}: optimising and placing probes ({seconds} s)"
                        );
                    }
                }
            });
        }
        Self { _running: running }
    }
}
