//! Links the crate to the LLVM of the rustc that compiles it, the only one whose bitcode version always
//! matches what that rustc emits.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC");
    let rustc = std::env::var_os("RUSTC").expect("Cargo sets RUSTC for build scripts");
    let library_folder = sysroot(Path::new(&rustc)).join("lib");
    let library = find_llvm(&library_folder).unwrap_or_else(|| {
        panic!(
            "no libLLVM.so.* in {}: Concord needs a rustup toolchain, whose rustc brings its LLVM as a shared library",
            library_folder.display()
        )
    });
    println!("cargo::rustc-link-search=native={}", library_folder.display());
    println!("cargo::rustc-link-lib=dylib:+verbatim={library}");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{}", library_folder.display());
}

fn sysroot(rustc: &Path) -> PathBuf {
    let output =
        Command::new(rustc).args(["--print", "sysroot"]).output().expect("rustc --print sysroot runs");
    PathBuf::from(String::from_utf8(output.stdout).expect("the sysroot is UTF-8").trim())
}

/// The real file, e.g. `libLLVM.so.22.1-rust-1.95.0-stable`, not the linker script beside it.
fn find_llvm(folder: &Path) -> Option<String> {
    let names =
        std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.starts_with("libLLVM.so.")).min()
}
