//! Machine code.
