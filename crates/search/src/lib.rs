//! Monte-Carlo graph search without I/O, threads or clock.
