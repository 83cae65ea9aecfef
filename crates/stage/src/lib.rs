//! What every stage process shares: arguments, turn-taking, progress events, exit codes.
//!
//! A stage is [`run_stage`] around a closure that does one turn. The driver starts the four stages
//! with a [`Supervisor`] and reads their [`Event`]s; both show them with the same [`EventSink`].

mod allocator;
mod args;
mod disk;
mod driver_id;
mod event;
mod event_sink;
pub mod exit;
mod exit_code;
mod in_force;
mod logging;
mod memory;
mod noted;
mod numbers;
mod oom;
mod parent;
mod pause;
mod plain;
mod programs;
mod run_boards;
mod screen;
mod signals;
mod sink;
mod spent;
mod stage;
mod stage_end;
mod stderr;
mod stop;
mod supervisor;
mod swept;
mod table;
mod terminal;
mod threads;
mod watched;

pub use args::StageArgs;
pub use disk::free_bytes;
pub use event::{Event, Progress, Rates};
pub use event_sink::EventSink;
pub use exit::error_text;
pub use exit_code::{exit_code_of, exit_with};
pub use in_force::{ConfigRefused, Edits, InForce, keep_config, kept_config};
pub use logging::{init_logging, log_generation, log_to_run};
pub use memory::{cpu_s, peak_bytes, resident_bytes};
pub use noted::progress_text;
pub use numbers::{
    bytes_text, count_text, duration_text, elo_error_text, elo_text, elo_width_text, number_text,
    real_text,
};
pub use pause::{DiskTrouble, trouble_text};
pub use programs::{Permissions, ProgramsWord, programs, text as program_text};
pub use run_boards::{RunBoard, run_boards};
pub use screen::fitted;
pub use sink::Sink;
pub use spent::Spent;
pub use stage::{StageContext, run_stage, run_stage_with};
pub use stage_end::StageEnd;
pub use stderr::{stderr_error, stderr_line};
pub use stop::Stop;
pub use supervisor::{Restarts, Supervisor, Update};
pub use table::{Column, TextCell, TextTable};
pub use threads::{end_for_lack_of_threads, start_threads, threads_max};
pub use watched::{ChildSpec, StageFailure};

/// The stage and record types that events and supervisors speak of.
pub use dz_store::Stage;
