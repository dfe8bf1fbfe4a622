//! What the pass did to this very artefact.

use concord_abi::{ABI_VERSION, BuildInfo, FLAG_PROBES};

use super::weak;
use crate::error::Error;

/// How the running artefact was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// By `cargo concord`, with probes.
    Probes(BuildInfo),
    /// By `cargo concord`, without probes.
    NoProbes(BuildInfo),
    /// Without Concord.
    Plain,
}

impl Build {
    /// Reads the artefact's build record.
    ///
    /// # Errors
    /// When the record is of another ABI version than this runtime.
    pub fn of_this_artefact() -> Result<Self, Error> {
        Self::classify(weak::build_info().map(|bytes| bytes.as_slice()))
    }

    fn classify(record: Option<&[u8]>) -> Result<Self, Error> {
        let Some(bytes) = record else { return Ok(Self::Plain) };
        match BuildInfo::from_bytes(bytes) {
            Some(info) if info.abi_version != ABI_VERSION => {
                Err(Error::Abi { found: info.abi_version, expected: ABI_VERSION })
            }
            Some(info) if info.flags & FLAG_PROBES != 0 => Ok(Self::Probes(info)),
            Some(info) => Ok(Self::NoProbes(info)),
            None => Err(Error::BuildRecord),
        }
    }

    /// Whether handlers can be preempted.
    pub fn has_probes(self) -> bool {
        matches!(self, Self::Probes(_))
    }
}

#[cfg(test)]
mod tests {
    use concord_abi::BUILD_INFO_MAGIC;

    use super::*;

    const INFO: BuildInfo = BuildInfo {
        magic: BUILD_INFO_MAGIC,
        abi_version: ABI_VERSION,
        functions: 1,
        probes: 2,
        loops: 3,
        flags: FLAG_PROBES,
        options_hash: 4,
    };

    #[test]
    fn a_record_tells_plain_probed_and_foreign_builds_apart() {
        let classify = |info: BuildInfo| Build::classify(Some(&info.to_bytes()));
        assert_eq!(Build::classify(None).unwrap(), Build::Plain);
        assert_eq!(classify(INFO).unwrap(), Build::Probes(INFO));
        assert!(!classify(BuildInfo { flags: 0, ..INFO }).unwrap().has_probes());
        let other = classify(BuildInfo { abi_version: ABI_VERSION + 1, ..INFO }).unwrap_err();
        assert!(other.to_string().contains("cargo concord build"), "{other}");
        assert!(matches!(classify(BuildInfo { magic: 0, ..INFO }), Err(Error::BuildRecord)));
    }
}
