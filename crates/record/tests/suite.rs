//! The integration tests of records in one program, because linking each by itself takes many times
//! as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod cases;
mod common;
mod goldens;
mod hostile;
mod mutations;
mod peers;
mod readers;
mod round_trip;
