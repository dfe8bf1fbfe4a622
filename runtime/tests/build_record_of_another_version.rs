//! A binary whose probes speak another version of the ABI must not start.

mod common;

use common::{Probing, polite};
use concord::{Error, Server};
use concord_abi::{ABI_VERSION, BUILD_INFO_MAGIC, BuildInfo, FLAG_PROBES};

// SAFETY: the pass did not run on this test, so nothing else defines the symbol.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the ABI's name")]
static concord_build_info: BuildInfo = BuildInfo {
    magic: BUILD_INFO_MAGIC,
    abi_version: ABI_VERSION + 1,
    functions: 0,
    probes: 0,
    loops: 0,
    flags: FLAG_PROBES,
    options_hash: 0,
};

#[test]
fn a_server_refuses_to_start() {
    // Keeps the record in the link: the runtime refers to it only weakly.
    std::hint::black_box(&concord_build_info);
    let error = Server::new(Probing::default(), polite(None)).err().unwrap();
    assert!(matches!(error, Error::Abi { found, .. } if found == ABI_VERSION + 1), "{error}");
}
