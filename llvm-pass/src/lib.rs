//! Bitcode of one link in, one instrumented native object out.
//!
//! A crate's life is the list of stages in [`pipeline`]; each stage is a file:
//!
//! ```text
//! unit (read) -> resolve -> select -> guard -> optimise, import -> merge -> reshape -> probe (-> second) -> record -> codegen, verify
//! ```
//!
//! Without LLVM types: [`resolve`], [`mod@cfg`], [`names`], [`guard::catalogue`], [`probe::plan`], [`second::choice`], [`second::weights`], most of
//! [`verify`]. All else speaks
//! inkwell; raw calls of LLVM's C API are in `ffi` alone.

pub mod cache;
pub mod cfg;
pub mod codegen;
pub mod constructors;
pub mod error;
pub mod ffi;
pub mod guard;
pub mod helpers;
pub mod import;
pub mod ir;
pub mod loops;
mod merge;
pub mod names;
pub mod optimise;
pub mod pipeline;
mod prepare;
pub mod probe;
pub mod record;
pub mod reshape;
pub mod resolve;
pub mod second;
pub mod select;
pub mod slow_path;
pub mod standard;
pub mod target;
pub mod unit;
pub mod verify;

pub use error::{Error, Result};
