//! Extensions: raw networks and parameters as in `KataGo`, rules as `GoGui` asks for them.

use std::time::Duration;

use dz_game::{Player, Status, Symmetry};

use super::job::{CommandResult, done, text};
use super::{
    Gtp,
    board::{result, rows},
    syntax::{color_name, word},
};

/// `kata-raw-nn SYMMETRY|all`: the network's outputs, without a search. `whiteWin`, `whiteLoss` and
/// a share of draws; a prior for each point, rows from the top, NAN where no move is legal; and the
/// owner of each point, from 1, White, to -1. In Go the owners are NAN where the evaluator has no
/// ownership, since readers expect as many numbers.
pub(super) fn raw_network(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let which = arguments.first().map_or("0", String::as_str);
    let count = gtp.session.symmetry_count();
    let symmetries = match which.parse::<u8>() {
        _ if which == "all" => 0..count,
        Ok(symmetry) if symmetry < count => symmetry..symmetry + 1,
        _ => return Err(format!("syntax error: a symmetry below {count}, or all")),
    };
    let pages: Result<Vec<String>, String> =
        symmetries.map(|symmetry| raw_page(gtp, Symmetry(symmetry))).collect();
    text(pages?.join("\n"))
}

fn raw_page(gtp: &mut Gtp, symmetry: Symmetry) -> Result<String, String> {
    let evaluated = gtp.session.evaluate(symmetry).map_err(|error| error.to_string())?;
    let (wdl, priors) = evaluated.ok_or("the game is over, or the player evaluates nothing")?;
    let white = if gtp.mover() == Player::Second { wdl } else { wdl.flip() };
    let size = gtp.session.size().unwrap_or_default();
    let prior = |point: u16| {
        let found = priors.iter().find(|(mv, _)| mv.0 == point);
        found.map_or_else(|| "NAN".to_owned(), |(_, prior)| format!("{prior:.6}"))
    };
    let table = |cell: &dyn Fn(u16) -> String| {
        let row = |row| (row * size..(row + 1) * size).map(cell).collect::<Vec<_>>().join(" ");
        (0..size).map(row).collect::<Vec<_>>().join("\n")
    };
    let pass =
        gtp.session.pass().map_or(String::new(), |pass| format!("\npolicyPass {}", prior(pass.0)));
    let sign = if gtp.mover() == Player::Second { 1.0 } else { -1.0 };
    let ownership = gtp.session.ownership(symmetry).map_err(|error| error.to_string())?;
    let ownership = match ownership {
        Some(ownership) => table(&|point| format!("{:.6}", sign * ownership[usize::from(point)])),
        None if gtp.session.has_komi() => table(&|_| "NAN".to_owned()),
        None => String::new(),
    };
    let head = if ownership.is_empty() { "" } else { "\nwhiteOwnership\n" };
    Ok(format!(
        "symmetry {}\nwhiteWin {:.6}\nwhiteLoss {:.6}\ndraw {:.6}\npolicy\n{}{pass}{head}{ownership}",
        symmetry.0,
        white.win,
        white.loss,
        white.draw,
        table(&prior)
    ))
}

const PARAMETERS: [&str; 4] = ["maxPlayouts", "maxTime", "ponderingEnabled", "resignThreshold"];

pub(super) fn list_parameters(_: &mut Gtp, _: &[String]) -> CommandResult {
    text(PARAMETERS.join("\n"))
}

pub(super) fn get_parameter(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let none = || "none".to_owned();
    match word(arguments, 0, "the parameter")? {
        "maxPlayouts" => text(gtp.limits.playouts.map_or_else(none, |n| n.to_string())),
        "maxTime" => text(gtp.limits.time.map_or_else(none, |t| t.as_secs_f64().to_string())),
        "ponderingEnabled" => text(gtp.ponders.to_string()),
        "resignThreshold" => text(gtp.resignation.value.to_string()),
        _ => Err(unknown()),
    }
}

/// Holds from the next move on; `none` takes a limit away.
pub(super) fn set_parameter(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let name = word(arguments, 0, "the parameter")?;
    let value = word(arguments, 1, "the value")?;
    let none = value.eq_ignore_ascii_case("none");
    match name {
        "maxPlayouts" => {
            let number = value.parse::<u32>().ok().filter(|playouts| *playouts > 0);
            let wrong = "maxPlayouts is a whole number above 0, or none";
            gtp.limits.playouts = if none { None } else { Some(number.ok_or(wrong)?) };
        }
        "maxTime" => {
            let seconds = value.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
            let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            let time = time.filter(|time| *time <= Duration::from_secs(u64::from(u32::MAX)));
            let wrong = "maxTime is a number of seconds above 0, or none";
            gtp.limits.time = if none { None } else { Some(time.ok_or(wrong)?) };
        }
        "ponderingEnabled" => {
            gtp.ponders = value.parse().map_err(|_| "ponderingEnabled is true or false")?;
        }
        "resignThreshold" => {
            let value = value.parse::<f32>().ok().filter(|value| (-1.0..=1.0).contains(value));
            gtp.resignation.value = value.ok_or("resignThreshold is from -1, never, to 1")?;
        }
        _ => return Err(unknown()),
    }
    done()
}

fn unknown() -> String {
    format!("unknown parameter; parameters are {}", PARAMETERS.join(", "))
}

pub(super) fn rules_game_id(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    let spec = gtp.session.spec();
    let (first, rest) = spec.name().split_at(1);
    text(first.to_uppercase() + rest)
}

pub(super) fn rules_board(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    let rows = rows(&*gtp.session).unwrap_or_default();
    let signs: Vec<String> = rows.into_iter().map(|(_, signs)| signs).collect();
    text(signs.join("\n"))
}

pub(super) fn rules_board_size(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    text(gtp.session.size().unwrap_or_default().to_string())
}

pub(super) fn rules_legal_moves(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    let session = &gtp.session;
    let names: Vec<String> = session.legal().into_iter().map(|mv| session.format(mv)).collect();
    text(names.join(" "))
}

pub(super) fn rules_side_to_move(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    text(color_name(gtp.mover()))
}

/// Empty while the game goes on.
pub(super) fn rules_final_result(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    match gtp.session.status() {
        Status::Over(outcome) => text(result(&*gtp.session, outcome)),
        Status::ToMove(_) => done(),
    }
}
