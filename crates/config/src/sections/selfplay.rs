//! `[selfplay]`: the games that the network learns from.

use crate::choice_or_number::choice_or_number;
use crate::limits::{Limits, above, real, whole};
use crate::section::section;
use crate::sections::DeviceChoice;

section! {
    /// `[selfplay]`: the games that the network learns from.
    pub struct SelfplaySection = "selfplay" {
        /// Games of a cycle that has a network to play with.
        [Results, whole(1, 100_000_000)] games: u32;
        /// Games that are played at once, over all groups.
        [Speed, whole(2, 65_536)] parallel_games: u32 = 64;
        /// Lockstep groups: one walks while another's batch is with the card; there are at least two for each of several
        /// cards. On the processor there is one group a thread, whatever stands here.
        [Speed, whole(2, 64)] groups: u32 = 2;
        /// What evaluates, such as `["cuda:1", "cuda:2"]`, whose turn comes one after another, batch by batch. Empty is
        /// `run.device`.
        [Results, Limits::Any] devices: Vec<DeviceChoice> = Vec::new();
        /// Playouts of a full search.
        [Results, whole(2, 1_000_000)] playouts: u32 = 100;
        /// Playouts of a fast search, whose ply carries no policy target.
        [Results, whole(2, 1_000_000)] playouts_fast: u32 = 25;
        /// Share of plies with a full search (playout-cap randomisation; Wu 2019, section 3.1:
        /// 0.25); 1 makes every search a full one.
        [Results, above(0.0, 1.0)] full_share: f64 = 0.25;
        /// Concentration of the Dirichlet noise, a legal move (Silver 2017: about 10 over the
        /// number of legal moves).
        [Results, above(0.0, 1000.0)] dirichlet_alpha: f64 = 1.0;
        /// Share of the noise in the root's priors of a full search (Silver 2017: 0.25); 0 is no
        /// noise.
        [Results, real(0.0, 1.0)] dirichlet_share: f64 = 0.25;
        /// Temperature of the move choice at the first ply: moves are drawn by visits to the
        /// power of its inverse (KataGo: 0.75).
        [Results, real(0.0, 10.0)] temperature: f64 = 0.75;
        /// Temperature that the choice decays to; 0 takes the most visited move (KataGo: 0.15).
        [Results, real(0.0, 10.0)] temperature_final: f64 = 0.15;
        /// Plies in which the distance to the final temperature halves.
        [Results, above(0.0, 1_000_000.0)] temperature_halflife_plies: f64 = 10.0;
        /// Each game starts with 0 to this many random plies, each count equally likely.
        [Results, whole(0, 10_000)] opening_plies_max: u32 = 4;
        /// Plies after which a game is ended, in self-play and in matches.
        [Results, whole(1, 1_000_000)] plies_max: u32 = 1_000;
        /// Value below which players of generation 1 and later resign, where it and that of their
        /// best move are lower: `{ fixed = v }` (AlphaGo: -0.8, a chance of 10 %), or
        /// `{ adaptive = v }`, v or what keeps wrong resignations rare, whichever is lower
        /// (Silver 2017, Methods, "Self-play"); `off` plays every game to its end.
        [Results, Limits::Any] resign: Resign = Resign::Off;
        /// Own turns in a row that must be below it; the next one then resigns (AlphaGo Zero: 1;
        /// KataGo's matches: 5).
        [Results, whole(1, 255)] resign_turns: u32 = 2;
        /// Share of games, drawn by their seeds, that are played to their ends to measure wrong
        /// resignations (Silver 2017: 0.1).
        [Results, real(0.0, 1.0)] resign_play_on_share: f64 = 0.1;
        /// Share of games without resignation that `adaptive` lets a player resign in who did not
        /// lose; it stays below (Silver 2017: 0.05).
        [Results, above(0.0, 1.0)] resign_false_positives_max: f64 = 0.05;
        /// Games without resignation that `adaptive` takes into account, those of the newest cycles,
        /// whole cycles at a time; before there are as many nobody resigns.
        [Results, whole(1, 100_000_000)] resign_games_min: u32 = 400;
        /// Evaluations that the cache of a stage keeps; 0 is no cache.
        [Speed, whole(0, 1_000_000_000)] cache_entries: u64 = 262_144;
        /// Games a shard file: shard k holds the games from k times this on.
        [Fixed, whole(1, 1_000_000)] games_per_shard: u32 = 256;
    }
}

choice_or_number! {
    /// When players of self-play resign.
    pub enum Resign {
        words {
            /// Never.
            Off = "off",
        }
        numbers {
            /// Below this value.
            Fixed(f64) = "fixed" within real(-1.0, 0.0),
            /// Below this value or a lower one that measured games allow.
            Adaptive(f64) = "adaptive" within real(-1.0, 0.0),
        }
    }
}
