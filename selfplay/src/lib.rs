//! Plays the champion against itself and publishes game shards.
