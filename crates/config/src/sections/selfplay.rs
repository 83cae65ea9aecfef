//! `[selfplay]`: the games that the network learns from.

use crate::run_config::RunConfig;
use crate::sections::DeviceChoice;
use dz_config_keys::{
    Limits, SameOr, above, below, choice, choice_or_number, real, section, whole,
};

section! {
    /// `[selfplay]`: the games that the network learns from.
    pub struct SelfplaySection = "selfplay" {
        /// Games of a cycle that has a network to play with.
        [Results, whole(1, 100_000_000)] games: u32 = 500;
        /// Games that are played at once, over all groups.
        [Speed, whole(2, 65_536)] parallel_games: u32 = 64;
        /// Lockstep groups: one walks while another's batch is with the card, and from three on
        /// while a third's is sent to it; there are at least three for each of several cards. On
        /// the processor there is one group a thread, whatever stands here.
        [Speed, whole(2, 64)] groups: u32 = 2;
        /// What evaluates, such as `["cuda:1", "cuda:2"]`, whose turn comes one after another,
        /// batch by batch. Empty is `run.device`.
        [Results, Limits::Any] devices: Vec<DeviceChoice> = Vec::new();
        /// Playouts of a full search.
        [Results, whole(2, 1_000_000)] playouts: u32 = 100;
        /// Playouts of a full search of generation 1, from which they rise by equal amounts to
        /// `playouts` in the run's last cycle (progressive simulation; Wu et al. 2024, MiniZero);
        /// `same` is `playouts` from the start.
        [Results, whole(2, 1_000_000)] playouts_start: SameOr<u32> = SameOr::Same;
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
        /// Temperature of the move choice at the first ply: moves are sampled by visits to the
        /// power of its inverse (KataGo: 0.75).
        [Results, real(0.0, 10.0)] temperature: f64 = 0.75;
        /// Temperature that the choice decays to; 0 takes the most visited move (KataGo: 0.15).
        [Results, real(0.0, 10.0)] temperature_final: f64 = 0.15;
        /// Plies in which the distance to the final temperature halves.
        [Results, above(0.0, 1_000_000.0)] temperature_halflife_plies: f64 = 10.0;
        /// Plies of a game that have `temperature`; every later one has temperature 0, so the step
        /// takes the place of the decay (Silver 2017: `temperature = 1` for 30 plies). 0 is the
        /// decay. With a step, `temperature_halflife_plies` keeps its default, and
        /// `temperature_final` its default or 0.
        [Results, whole(0, 1_000_000)] temperature_plies: u32 = 0;
        /// Each game starts with 0 to this many random plies, each count equally likely.
        [Results, whole(0, 10_000)] opening_plies_max: u32 = 4;
        /// How they are sampled: `random` takes each legal move as often, `policy` the network's
        /// policy (KataGo), in generation 0 as `random`.
        [Results, Limits::Any] opening: OpeningSampler = OpeningSampler::Random;
        /// Temperature of that policy.
        [Results, above(0.0, 100.0)] opening_temperature: f64 = 1.0;
        /// Standard deviation of each game's komi from that of `run.game`, in points: normal, cut
        /// off at three of them, rounded up or down by chance to whole and half points (KataGo: 1
        /// on boards of 19 rows). 0 is the same komi for all; games without komi take nothing else.
        [Results, real(0.0, 100.0)] komi_deviation: f64 = 0.0;
        /// Share of games whose komi is sampled with `komi_deviation_wide` instead, so that
        /// networks see games that are decided by it, too (KataGo: 0.06).
        [Results, real(0.0, 1.0)] komi_wide_share: f64 = 0.0;
        /// Standard deviation of those games' komi (KataGo: 12 on boards of 19 rows; as a share of
        /// the rows 6 on 9).
        [Results, real(0.0, 100.0)] komi_deviation_wide: f64 = 6.0;
        /// Share of games, from generation 1 on, that start as forks: a game of the cycle before is
        /// followed to one of its plies, each equally likely, where another move is sampled as in
        /// an opening (KataGo: 0.05). They have no opening of their own.
        [Results, real(0.0, 1.0)] fork_share: f64 = 0.0;
        /// Share of games, from generation 1 on, that are not played: a game of the window is
        /// followed move by move, and each of its plies that had a full search gets a new one by
        /// the current champion, with a new policy target and root value (Schrittwieser 2020,
        /// appendix H, Reanalyze: 0.8 of the training data). Reanalyzed games count and train like
        /// played ones, and the original games stay.
        [Results, below(0.0, 1.0)] reanalyse_share: f64 = 0.0;
        /// Share of a game's weight that its full searches have by surprise: by how far each one's
        /// policy target is from the priors it started with (Kullback-Leibler; KataGo: 0.5). The
        /// rest goes to all of them alike.
        [Results, real(0.0, 1.0)] surprise_share: f64 = 0.0;
        /// Plies after which a game is ended, in self-play and in matches.
        [Results, whole(1, 1_000_000)] plies_max: u32 = 1_000;
        /// Value below which players of generation 1 and later resign, where it and that of their
        /// best move are lower: `{ fixed = v }`, or `{ adaptive = v }`, where the threshold is v,
        /// or lower if that is needed to keep wrong resignations rare (Silver 2017, Methods,
        /// "Self-play"). `{ best_move = v }` resigns where the best move's value is lower, without
        /// regard to the root's (AlphaGo: -0.8, a chance of 10 %; Silver 2016, Methods); `off`
        /// plays every game to its end.
        [Results, Limits::Any] resign: Resign = Resign::Off;
        /// Own turns in a row that must be below it; the next one then resigns (AlphaGo Zero: 1;
        /// KataGo's matches: 5). `{ best_move = v }` needs no second turn.
        [Results, whole(1, 255)] resign_turns: u32 = 2;
        /// Share of games, sampled by their seeds, that are played to their ends to measure wrong
        /// resignations (Silver 2017: 0.1).
        [Results, real(0.0, 1.0)] resign_play_on_share: f64 = 0.1;
        /// Share of games without resignation that `adaptive` lets a player resign in who did not
        /// lose; it stays below (Silver 2017: 0.05).
        [Results, above(0.0, 1.0)] resign_false_positives_max: f64 = 0.05;
        /// Games without resignation that `adaptive` takes into account, from the newest cycles,
        /// whole cycles at a time. Until there are that many, nobody resigns.
        [Results, whole(1, 100_000_000)] resign_games_min: u32 = 400;
        /// Soft resignation: `{ above = v }` gives less to games that are as good as decided: from
        /// the point where the values of `soft_resign_plies` plies in a row all favour the same
        /// winner with more than v (KataGo: 0.9). They are played to their ends, so no outcome is
        /// lost.
        [Results, Limits::Any] soft_resign: SoftResign = SoftResign::Off;
        /// Plies in a row, of both players, the least certain of which counts (KataGo: 3).
        [Results, whole(1, 255)] soft_resign_plies: u32 = 3;
        /// Playouts that a search comes down to where the winner is certain (KataGo: 100 of 600).
        [Results, whole(2, 1_000_000)] soft_resign_playouts: u32 = 20;
        /// Weight in training that a position comes down to there (KataGo: 0.1).
        [Results, real(0.0, 1.0)] soft_resign_weight: f64 = 0.1;
        /// Evaluations that the cache of a stage keeps; 0 is no cache.
        [Speed, whole(0, 1_000_000_000)] cache_entries: u64 = 262_144;
        /// Games a shard file: shard k holds the games from k times this on.
        [Fixed, whole(1, 1_000_000)] games_per_shard: u32 = 256;
    }
}

impl RunConfig {
    /// Playouts of a full and of a fast search of self-play with the network of a generation, from
    /// 1.
    pub fn selfplay_playouts(&self, generation: u32) -> (u32, u32) {
        let selfplay = &self.selfplay;
        let full = match selfplay.playouts_start {
            SameOr::Same => selfplay.playouts,
            SameOr::Own(start) => {
                // The last cycle plays with the generation before it, if every candidate was
                // accepted.
                let last = self.run.cycles.saturating_sub(1).max(1);
                let progress = match last {
                    1 => 1.0,
                    _ => f64::from(generation.clamp(1, last) - 1) / f64::from(last - 1),
                };
                let rise = f64::from(selfplay.playouts) - f64::from(start);
                (f64::from(start) + rise * progress).round() as u32
            }
        };
        (full, selfplay.playouts_fast.min(full))
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
            /// At once, where the best move's value is below this.
            BestMove(f64) = "best_move" within real(-1.0, 0.0),
            /// Below this value or a lower one that measured games allow.
            Adaptive(f64) = "adaptive" within real(-1.0, 0.0),
        }
    }
}

choice! {
    /// How the moves of an opening are sampled.
    pub enum OpeningSampler {
        /// Each legal move as often.
        Random = "random",
        /// The network's policy.
        Policy = "policy",
    }
}

choice_or_number! {
    /// When self-play gives less to a game.
    pub enum SoftResign {
        words {
            /// Never.
            Off = "off",
        }
        numbers {
            /// Where values of either sign are further from 0 than this.
            Above(f64) = "above" within below(0.0, 1.0),
        }
    }
}

impl SelfplaySection {
    /// Lockstep groups where so many devices take turns.
    pub fn groups_on(&self, devices: usize) -> usize {
        let groups = self.groups as usize;
        // While each card has a batch, another is being sent to it and a third is made.
        if devices > 1 { groups.max(3 * devices) } else { groups }
    }
}
