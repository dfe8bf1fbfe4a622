//! Builds of the fixture projects by `cargo concord`.

mod audit;
mod configuration;
mod crates;
mod failures;
mod libraries;
mod profiles;
mod settings;
mod tools;
mod units;
