//! What a built file holds.

use std::path::Path;

use anyhow::Result;
use object::{Object as _, ObjectSection as _, SectionKind};

/// Bytes of machine code.
///
/// # Errors
/// When the program cannot be read.
pub(crate) fn text_bytes(program: &Path) -> Result<u64> {
    let data = std::fs::read(program)?;
    let file = object::File::parse(&*data)?;
    Ok(file
        .sections()
        .filter(|section| section.kind() == SectionKind::Text)
        .map(|section| section.size())
        .sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_has_machine_code() {
        let bytes = text_bytes(&std::env::current_exe().unwrap()).unwrap();
        assert!(bytes > 10_000, "{bytes}");
        assert!(text_bytes(Path::new(file!())).is_err());
    }
}
