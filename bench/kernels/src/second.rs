//! A kernel in the second build, beside the same kernel in the workers'.

use std::cell::RefCell;
use std::hint::black_box;
use std::io::Write;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use concord::Nanos;
use concord::testing::{clone_of, in_slices};

use crate::kernel::{Kernel, Measured, Work, concord_kernels_measured};

/// Enough for a kernel that recurses.
const STACK_BYTES: usize = 4 << 20;

/// A slice that no run outlasts: the clock is looked at all the same.
const ENDLESS: Nanos = Nanos::from_millis(60_000);

/// [`concord_kernels_measured`] under a name that is not the runtime's, whose functions have neither probes nor clones.
#[unsafe(no_mangle)]
#[inline(never)]
fn kernels_measured(work: &mut Work) -> u64 {
    black_box(black_box(work)())
}

/// The clone of what runs a kernel.
///
/// # Errors
/// When this program has no second build.
fn measured() -> Result<Measured> {
    let clone = clone_of(kernels_measured as Measured as *const ());
    // SAFETY: null is `None`; anything else is a function of the same type.
    let clone = unsafe { std::mem::transmute::<*const (), Option<Measured>>(clone) };
    clone.context("this program has no second build; `cargo concord build` makes one")
}

/// Runs the kernel's clone once, outside of any slice, to count instructions.
///
/// # Errors
/// When there is no clone, or the answer is wrong.
pub(crate) fn once(kernel: &'static Kernel) -> Result<()> {
    Ok(kernel.run_by(measured()?, &mut (kernel.prepare)())?)
}

/// Runs the kernel `runs` times in each build, in turn, then in slices of `slice`; writes one line, separated by
/// tabulators: the name, the least time of a run in the worker build, that in the second, which looks at the clock
/// meanwhile, and of the slices their number, median, 99th percentile and longest; all times in nanoseconds.
///
/// # Errors
/// When there is no clone, an answer is wrong, or the line cannot be written.
pub(crate) fn compare(kernel: &'static Kernel, slice: Nanos, runs: u32, mut to: impl Write) -> Result<()> {
    let second = measured()?;
    let work = Rc::new(RefCell::new((kernel.prepare)()));
    let (mut of_worker, mut of_second) = (u128::MAX, u128::MAX);
    let mut slices = Vec::new();
    for _ in 0..runs {
        of_worker = of_worker.min(sliced(kernel, concord_kernels_measured, &work, ENDLESS, Armed::No)?.0);
        of_second = of_second.min(sliced(kernel, second, &work, ENDLESS, Armed::Yes)?.0);
        slices.extend(sliced(kernel, second, &work, slice, Armed::Yes)?.1);
    }
    slices.sort_unstable();
    let at = |share: usize| slices.get((slices.len() * share / 1000).min(slices.len().saturating_sub(1)));
    let [median, late, longest] = [500, 990, 1000].map(|share| at(share).map_or(0, |slice| slice.0));
    let name = kernel.name;
    writeln!(to, "{name}\t{of_worker}\t{of_second}\t{}\t{median}\t{late}\t{longest}", slices.len())
        .context("cannot write the figures")
}

/// Whether the run is one of the dispatcher's, whose line is armed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Armed {
    Yes,
    No,
}

/// One run in slices: its time, and theirs.
fn sliced(
    kernel: &'static Kernel,
    measured: Measured,
    work: &Rc<RefCell<Work>>,
    slice: Nanos,
    armed: Armed,
) -> Result<(u128, Vec<Nanos>)> {
    let outcome = Rc::new(RefCell::new(None));
    let (work, seen) = (Rc::clone(work), Rc::clone(&outcome));
    let body = move || {
        let start = Instant::now();
        let result = kernel.run_by(measured, &mut work.borrow_mut());
        *seen.borrow_mut() = Some((result, start.elapsed().as_nanos()));
    };
    let slices = match armed {
        Armed::Yes => in_slices(slice, STACK_BYTES, body).context("cannot map a stack")?,
        Armed::No => {
            body();
            Vec::new()
        }
    };
    let Some((result, time)) = outcome.borrow_mut().take() else { bail!("the kernel never ended") };
    result?;
    Ok((time, slices))
}
