//! Trains the network on rows; publishes checkpoints and candidates.
