//! The stages of a link's units, before they become one: select, GUARD, optimise; `stages.rs` runs them, `kept.rs`
//! spares them when an earlier link did the same.
//!
//! Units are worked on by all cores: first each by itself, then each with what the others lend to it ([`import`]).
//!
//! [`import`]: crate::import

mod kept;
mod stages;

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use concord_abi::{CONDITION_WAIT_SYMBOL, CXX_CONDITION_WAIT_SYMBOL};
use concord_job::{GuardCount, LinkJob, StandardReport};

use crate::cache::Cache;
use crate::error::Result;
use crate::import::{Offer, Offers};
use crate::optimise;
use crate::resolve::{Resolution, UnitKind};
use crate::select::Selection;
use crate::unit::Unit;

/// The live units of a link that the object is made of.
pub(crate) struct Live<'a> {
    /// The program's.
    pub(crate) own: Vec<&'a Unit>,
    /// Members of the standard library with bitcode.
    pub(crate) standard: Vec<&'a Unit>,
    /// And those that the toolchain ships without.
    pub(crate) native_standard: Vec<&'a Unit>,
}

impl<'a> Live<'a> {
    /// Sorts them.
    pub(crate) fn of(units: &'a [Unit], resolution: &Resolution) -> Self {
        let mut live = Self { own: Vec::new(), standard: Vec::new(), native_standard: Vec::new() };
        for unit in resolution.live.iter().map(|&index| &units[index]) {
            match (unit.symbols.kind, &unit.standard) {
                (UnitKind::Bitcode, None) => live.own.push(unit),
                (UnitKind::Bitcode, Some(_)) => live.standard.push(unit),
                (_, Some(_)) => live.native_standard.push(unit),
                (_, None) => {}
            }
        }
        live
    }

    /// What the standard library's units must offer to the rest of the link.
    fn needed_of_standard(&self, resolution: &'a Resolution) -> HashSet<&'a str> {
        resolution.visible.iter().map(String::as_str).chain(named_by(&self.own)).collect()
    }

    /// What others than the unit itself may name of a unit of the program, or define besides it.
    fn needed_of_own(&self, resolution: &'a Resolution) -> HashSet<&'a str> {
        let mut needed = self.needed_of_standard(resolution);
        needed.extend(named_by(&self.standard));
        // Calls of native waits are led to these.
        needed.extend([CONDITION_WAIT_SYMBOL, CXX_CONDITION_WAIT_SYMBOL]);
        let mut once = HashSet::new();
        let defined = self.own.iter().chain(&self.standard).flat_map(|unit| &unit.symbols.defined);
        needed.extend(defined.map(String::as_str).filter(|symbol| !once.insert(*symbol)));
        needed
    }
}

/// The symbols that units do not define themselves.
fn named_by<'a>(units: &[&'a Unit]) -> impl Iterator<Item = &'a str> {
    let symbols =
        units.iter().flat_map(|unit| unit.symbols.undefined.iter().chain(&unit.symbols.weak_undefined));
    symbols.map(String::as_str)
}

/// A unit after its own stages: bitcode again, so that it can leave its context.
#[derive(Default)]
pub(crate) struct Prepared {
    /// For messages.
    pub(crate) name: String,
    pub(crate) bitcode: Vec<u8>,
    pub(crate) selection: Selection,
    pub(crate) guards: Vec<GuardCount>,
    /// Empty but for the standard library's unit.
    pub(crate) standard: StandardReport,
    /// All of it was kept from an earlier link.
    pub(crate) reused: bool,
}

/// A unit after the stages that look at it alone.
struct Begun {
    prepared: Prepared,
    /// What it lends to others.
    offer: Option<Offer>,
    /// The functions that it calls of others.
    declared: Vec<String>,
}

/// What the stages of all units share.
struct Link<'a> {
    job: &'a LinkJob,
    live: &'a Live<'a>,
    /// The symbols of the program's units that stay visible, and those of the standard library.
    needed: HashSet<&'a str>,
    needed_of_standard: HashSet<&'a str>,
    /// The symbols that some unit defines as bitcode.
    defined: &'a HashSet<String>,
    cache: Cache,
}

/// Runs the units' stages.
///
/// # Errors
/// Of the first unit that failed.
pub(crate) fn prepare_all(live: &Live<'_>, job: &LinkJob, resolution: &Resolution) -> Result<Vec<Prepared>> {
    let link = Link {
        job,
        live,
        needed: live.needed_of_own(resolution),
        needed_of_standard: live.needed_of_standard(resolution),
        defined: &resolution.bitcode_defined,
        cache: Cache::of(job),
    };
    let own = live.own.len();
    // The standard library comes last in the list and is begun first: it takes longest.
    let begun =
        in_parallel(own + usize::from(!live.standard.is_empty()), |index| match live.own.get(index) {
            Some(unit) => kept::begin(&link, index, unit),
            None => kept::standard(&link, index),
        })?;
    let prepared = match optimise::completing_passes(&job.optimise) {
        None => begun.into_iter().map(|begun| begun.prepared).collect(),
        Some(passes) => complete_all(&link, begun, &passes)?,
    };
    link.cache.trim();
    Ok(prepared)
}

fn complete_all(link: &Link<'_>, mut begun: Vec<Begun>, passes: &str) -> Result<Vec<Prepared>> {
    let offers = Offers::new(begun.iter_mut().filter_map(|begun| begun.offer.take()).collect());
    let own = link.live.own.len();
    let completed = in_parallel(own, |index| kept::complete(link, index, &begun[index], &offers, passes))?;
    let mut prepared: Vec<Prepared> = begun.into_iter().map(|begun| begun.prepared).collect();
    for (prepared, (bitcode, reused)) in prepared.iter_mut().zip(completed) {
        prepared.bitcode = bitcode;
        prepared.reused &= reused;
    }
    Ok(prepared)
}

/// Calls `work` with each number below `count`, the last ones first, on all cores.
fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let left = AtomicUsize::new(count);
    let results = Mutex::new(Vec::new());
    let take = || {
        loop {
            // Relaxed: the index alone is shared; results are published by the mutex and the scope's join.
            let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            let Ok(index) = taken.map(|left| left - 1) else { break };
            let result = work(index);
            results.lock().expect("no worker panics while it holds the list").push((index, result));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(count) {
            scope.spawn(take);
        }
    });
    let mut results = results.into_inner().expect("all workers have ended");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
