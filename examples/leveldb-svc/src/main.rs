//! w
mod store;
fn main() {}
