//! GTP and UCI as front ends and other engines meet them.

mod batches;
mod common;
mod conversations;
mod fuzz;
mod games;
mod gnugo;
mod gtp_cases;
mod halving;
mod hostile;
mod load;
mod ownership;
mod person;
mod reviews;
mod saved;
mod slow;
mod stockfish;
mod uci;
mod uci_cases;
