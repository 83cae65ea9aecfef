//! GTP as front ends and other engines meet it.

mod common;
mod conversations;
mod fuzz;
mod games;
mod gnugo;
