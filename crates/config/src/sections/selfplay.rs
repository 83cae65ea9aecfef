//! `[selfplay]`: the games that the network learns from.

use crate::limits::{above, real, whole};
use crate::section::section;

section! {
    /// `[selfplay]`: the games that the network learns from.
    pub struct SelfplaySection = "selfplay" {
        /// Games of a cycle that has a network to play with.
        [Results, whole(1, 100_000_000)] games: u32;
        /// Games that are played at once, over all groups.
        [Speed, whole(2, 65_536)] parallel_games: u32 = 64;
        /// Lockstep groups: one walks while another's batch is evaluated.
        [Speed, whole(2, 64)] groups: u32 = 2;
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
        /// Evaluations that the cache of a stage keeps; 0 is no cache.
        [Speed, whole(0, 1_000_000_000)] cache_entries: u64 = 262_144;
        /// Games a shard file: shard k holds the games from k times this on.
        [Fixed, whole(1, 1_000_000)] games_per_shard: u32 = 256;
    }
}
