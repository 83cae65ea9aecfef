//! The integration tests of the search in one program, because linking each by itself takes many
//! times as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod agreement;
mod bandits;
mod choice;
mod common;
mod departures;
mod episodes;
mod equivalences;
mod formulas;
mod golden;
mod halving;
mod hostile;
mod in_flight;
mod invariants;
mod mctx;
mod oracles;
mod outlook;
mod proof;
mod properties;
mod restrict;
mod saved;
mod score_utility;
mod solved;
mod split;
mod tiny_priors;
mod uncertainty;
mod value_bias;
