//! The integration tests of the program in one program, because linking each by itself takes many
//! times as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod boards;
mod budget;
mod common;
mod configuration;
mod conventions;
mod doctor;
mod documents;
mod engine;
mod engines;
mod export;
mod faults;
mod first_call;
mod fleet;
mod foreign;
mod front_door;
mod games;
mod gpu_bench;
mod import;
mod learn;
mod minimal;
mod mirror;
mod notify;
mod numpy;
mod onnx;
mod operations;
mod plan;
mod players;
mod process;
mod programs;
mod rate;
mod recipe;
mod records;
mod run;
mod saved_search;
mod search;
mod serve;
mod signals;
mod verify;
