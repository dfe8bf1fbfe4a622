//! The work on one unit, unless an earlier link did the same.

use concord_abi::CONDITION_WAIT_SYMBOL;
use concord_job::{GuardCount, StandardReport};
use serde::{Deserialize, Serialize};

use super::{Begun, Link, Prepared, stages};
use crate::cache::Key;
use crate::error::Result;
use crate::import::{Offer, Offers};
use crate::select::Selection;
use crate::unit::Unit;

/// What is kept of a unit besides bitcode.
#[derive(Deserialize, Serialize)]
struct Facts {
    selection: Selection,
    guards: Vec<GuardCount>,
    standard: StandardReport,
    lent: Vec<String>,
    declared: Vec<String>,
}

/// See [`stages::begin`].
pub(super) fn begin(link: &Link<'_>, index: usize, unit: &Unit) -> Result<Begun> {
    let known = known(link, unit, |symbol| link.needed.contains(symbol));
    let key = link.cache.key([b"unit".as_slice(), &unit.bitcode, known.as_bytes()]);
    kept_or(link, key, &unit.name, || stages::begin(link, index, unit))
}

/// See [`stages::standard`].
pub(super) fn standard(link: &Link<'_>, index: usize) -> Result<Begun> {
    let units = &link.live.standard;
    let known: String = units
        .iter()
        .map(|unit| known(link, unit, |symbol| link.needed_of_standard.contains(symbol)))
        .collect();
    let parts = units.iter().flat_map(|unit| [unit.name.as_bytes(), &unit.bitcode]);
    let debug_info: &[u8] = if link.job.optimise.debug_info { b"standard" } else { b"standard, stripped" };
    let key = link.cache.key([debug_info, known.as_bytes()].into_iter().chain(parts));
    kept_or(link, key, stages::STANDARD, || {
        let prepared = stages::standard(link, index)?;
        Ok(Begun { prepared, offer: None, declared: Vec::new() })
    })
}

/// See [`stages::complete`]; and whether the bitcode was kept.
pub(super) fn complete(
    link: &Link<'_>,
    index: usize,
    begun: &Begun,
    offers: &Offers,
    passes: &str,
) -> Result<(Vec<u8>, bool)> {
    let lenders = offers.lenders(&begun.declared);
    let lent = lenders.iter().map(|offer| offer.bitcode.as_slice());
    let parts = [b"completed".as_slice(), &begun.prepared.bitcode];
    let key = link.cache.key(parts.into_iter().chain(lent));
    if let Some([bitcode]) = link.cache.get(key) {
        return Ok((bitcode, true));
    }
    let bitcode = stages::complete(link, index, &begun.prepared, &lenders, passes)?;
    link.cache.put(key, &[&bitcode]);
    Ok((bitcode, false))
}

/// What the link says of a unit's symbols, as far as the unit's stages ask.
fn known(link: &Link<'_>, unit: &Unit, is_needed: impl Fn(&str) -> bool) -> String {
    let symbols = &unit.symbols;
    let mut known = format!("waits {}\n", link.defined.contains(CONDITION_WAIT_SYMBOL));
    for symbol in symbols.defined.iter().filter(|symbol| is_needed(symbol)) {
        known.extend(["needed ", symbol, "\n"]);
    }
    let named = symbols.defined.iter().chain(&symbols.undefined).chain(&symbols.weak_undefined);
    for symbol in named.filter(|symbol| link.defined.contains(*symbol)) {
        known.extend(["defined ", symbol, "\n"]);
    }
    known
}

fn kept_or(link: &Link<'_>, key: Key, name: &str, make: impl FnOnce() -> Result<Begun>) -> Result<Begun> {
    if let Some(begun) = read(link, key, name) {
        return Ok(begun);
    }
    let begun = make()?;
    let Begun { prepared, offer, declared } = &begun;
    let facts = Facts {
        selection: prepared.selection.clone(),
        guards: prepared.guards.clone(),
        standard: prepared.standard.clone(),
        lent: offer.as_ref().map(|offer| offer.symbols.clone()).unwrap_or_default(),
        declared: declared.clone(),
    };
    if let Ok(facts) = serde_json::to_vec(&facts) {
        let lent = offer.as_ref().map(|offer| offer.bitcode.as_slice()).unwrap_or_default();
        link.cache.put(key, &[&facts, lent, &prepared.bitcode]);
    }
    Ok(begun)
}

fn read(link: &Link<'_>, key: Key, name: &str) -> Option<Begun> {
    let [facts, lent, bitcode] = link.cache.get(key)?;
    let Facts { selection, guards, standard, lent: symbols, declared } =
        serde_json::from_slice(&facts).ok()?;
    let offer = (!symbols.is_empty()).then_some(Offer { symbols, bitcode: lent });
    let prepared = Prepared { name: name.to_owned(), bitcode, selection, guards, standard, reused: true };
    Some(Begun { prepared, offer, declared })
}
