//! Where a comparison stands: a bar on a terminal, a line per step elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

/// See the module.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// For this many steps.
    pub(crate) fn new(steps: usize) -> Self {
        let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}");
        Self { bar: ProgressBar::new(steps as u64).with_style(style.expect("the template is valid")) }
    }

    /// A step begins.
    pub(crate) fn begin(&self, step: String) {
        if self.bar.is_hidden() {
            let (done, all) = (self.bar.position() + 1, self.bar.length().unwrap_or_default());
            eprintln!("[{done}/{all}] {step}");
        }
        self.bar.set_message(step);
    }

    /// Something to know, beside the steps.
    pub(crate) fn note(&self, note: &str) {
        self.bar.suspend(|| eprintln!("{note}"));
    }

    /// The step is done.
    pub(crate) fn done(&self) {
        self.bar.inc(1);
    }

    /// All steps are done.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
