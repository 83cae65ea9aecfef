//! The front door: run, resume, report, status, inspect and the stages.
