//! The commands by name.

use super::job::{CommandResult, done, text};
use super::{Gtp, analysis, board, extras, genmove, handicap, load, saved};

/// A command.
pub(super) struct Command {
    pub name: &'static str,
    pub scope: Scope,
    pub run: fn(&mut Gtp, &[String]) -> CommandResult,
}

/// In which games there is a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Every,
    /// Games on a board of points.
    Points,
    /// Games with komi, which have handicaps and territory, too: Go.
    Komi,
}

impl Scope {
    pub(super) fn holds(self, gtp: &Gtp) -> bool {
        match self {
            Self::Every => true,
            Self::Points => gtp.session.stones().is_some(),
            Self::Komi => gtp.session.has_komi(),
        }
    }
}

const fn every(name: &'static str, run: fn(&mut Gtp, &[String]) -> CommandResult) -> Command {
    Command { name, scope: Scope::Every, run }
}

const fn points(name: &'static str, run: fn(&mut Gtp, &[String]) -> CommandResult) -> Command {
    Command { name, scope: Scope::Points, run }
}

const fn komi(name: &'static str, run: fn(&mut Gtp, &[String]) -> CommandResult) -> Command {
    Command { name, scope: Scope::Komi, run }
}

const COMMANDS: &[Command] = &[
    every("protocol_version", |_, _| text("2")),
    every("name", |_, _| text("DagZero")),
    every("version", |gtp, _| {
        text(format!("{} {}", env!("CARGO_PKG_VERSION"), gtp.session.player()))
    }),
    every("known_command", known_command),
    every("list_commands", |gtp, _| text(names(gtp).join("\n"))),
    every("quit", |gtp, _| {
        gtp.ended = true;
        done()
    }),
    every("boardsize", board::boardsize),
    every("clear_board", board::clear_board),
    komi("komi", board::komi),
    komi("get_komi", board::get_komi),
    every("play", board::play),
    every("undo", board::undo),
    points("loadsgf", load::loadsgf),
    every("showboard", board::showboard),
    every("final_score", board::final_score),
    komi("final_status_list", board::final_status_list),
    komi("fixed_handicap", handicap::fixed),
    komi("place_free_handicap", handicap::place_free),
    komi("set_free_handicap", handicap::set_free),
    every("genmove", genmove::genmove),
    every("reg_genmove", genmove::reg_genmove),
    every("lz-genmove_analyze", genmove::lz_genmove_analyze),
    every("kata-genmove_analyze", genmove::kata_genmove_analyze),
    every("time_settings", genmove::time_settings),
    every("time_left", genmove::time_left),
    every("lz-analyze", analysis::lz_analyze),
    every("kata-analyze", analysis::kata_analyze),
    points("kata-raw-nn", extras::raw_network),
    every("kata-list-params", extras::list_parameters),
    every("kata-get-param", extras::get_parameter),
    every("kata-set-param", extras::set_parameter),
    every("dagzero-save_search", saved::save),
    every("dagzero-load_search", saved::load),
    // Says that the comment `# interrupt` ends a search.
    every("gogui-interrupt", |_, _| done()),
    every("gogui-play_sequence", board::play_sequence),
    points("gogui-rules_game_id", extras::rules_game_id),
    points("gogui-rules_board", extras::rules_board),
    points("gogui-rules_board_size", extras::rules_board_size),
    points("gogui-rules_legal_moves", extras::rules_legal_moves),
    points("gogui-rules_side_to_move", extras::rules_side_to_move),
    points("gogui-rules_final_result", extras::rules_final_result),
];

pub(super) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn names(gtp: &Gtp) -> Vec<&'static str> {
    COMMANDS.iter().filter(|command| command.scope.holds(gtp)).map(|command| command.name).collect()
}

fn known_command(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let name = arguments.first().map_or("", String::as_str);
    text(find(name).is_some_and(|command| command.scope.holds(gtp)).to_string())
}
