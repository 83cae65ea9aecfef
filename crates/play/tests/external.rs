//! Other programs as players: healthy ones play on, failing ones lose, and no process is left
//! behind.

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use dz_external_engines::{EnginePool, EngineSpec, Grace};
use dz_game::{Game, Player, games::TicTacToe};
use dz_infer::Lockstep;
use dz_play::{
    Cause, Match, MatchPlayer, NoNetworks, NoObserver, PlayedGame, PlayerKind, PlayerPool, Seat,
    play_match,
};
use dz_testkit::wait_until;

/// An engine for tic-tac-toe in GTP: plays the lowest free cell. From its second move on, or at the
/// end, it does what `$1` says; each start adds a line to the file `$2`.
const GTP: &str = r#"
mode=$1; echo started >> "$2"; taken=" "; moves=0
say() { printf '= %s\n\n' "$1"; }
while read -r command a b; do
  case $command in
    quit) exit 0 ;;
    name) say fake ;;
    known_command) say false ;;
    clear_board) taken=" "; moves=0; say ;;
    play)
      taken="$taken$b "
      if [ "$mode" = refuse ] && [ $moves -ge 1 ]; then printf '? illegal move\n\n'; else say; fi ;;
    final_score) if [ "$mode" = dispute ]; then say B+7; else printf '? cannot score\n\n'; fi ;;
    genmove)
      moves=$((moves + 1))
      if [ $moves -ge 2 ]; then
        case $mode in
          crash) echo "out of luck" >&2; exit 3 ;;
          hang) sleep 600 & echo $! >> "$2.children"; wait ;;
          flood) yes "info nothing" ;;
          illegal) say 42; continue ;;
          resign) say resign; continue ;;
          silent) exec <&- ; exec >&- ; sleep 600 ;;
        esac
      fi
      for cell in 1 2 3 4 5 6 7 8 9; do
        case $taken in *" $cell "*) ;; *) taken="$taken$cell "; say $cell; break ;; esac
      done ;;
    *) printf '? unknown command\n\n' ;;
  esac
done
"#;

/// Four games of an engine in `mode` against random moves.
fn games(mode: &str, folder: &Path) -> Vec<PlayedGame> {
    let script = folder.join("engine.sh");
    fs::write(&script, GTP).expect("written");
    let log = folder.join("log");
    let command = format!("gtp:sh {} {mode} {}", script.display(), log.display());
    let mut spec: EngineSpec = command.parse().expect("an engine");
    spec.move_time = Duration::from_millis(100);
    spec.grace = Grace { answer: Duration::from_millis(900), start: Duration::from_secs(20) };
    let engine = PlayerKind::Engine(Arc::new(EnginePool::new(spec)));
    let players = [
        MatchPlayer { name: "engine".into(), kind: engine },
        MatchPlayer { name: "random".into(), kind: PlayerKind::Random },
    ];
    let plan =
        Match { players, games: 4, opening_plies: 1, seed: 3, plies_max: 100, early_stop: None };
    let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
    let lockstep = Lockstep { parallel_games: 64, groups: 2 };
    let played = play_match(&plan, &mut pool, &lockstep, None, &mut NoObserver);
    played.expect("engines are no evaluators").games
}

fn engine_of(game: &PlayedGame) -> Player {
    if game.first == Seat::A { Player::First } else { Player::Second }
}

#[test]
fn an_engine_plays_by_the_rules_and_the_referee_counts() {
    let dir = tempfile::tempdir().expect("a folder");
    for game in games("well", dir.path()) {
        assert_eq!((&game.forfeit, &game.dispute), (&None, &None));
        let (mut state, mut history) = (TicTacToe.start(), ());
        for &mv in &game.moves {
            TicTacToe
                .play_text(&mut state, &mut history, &TicTacToe.format_move(mv))
                .expect("legal");
        }
        assert_eq!(TicTacToe.outcome(&state, &history), Some(game.outcome));
    }
    let starts = fs::read_to_string(dir.path().join("log")).expect("a log").lines().count();
    assert!((1..=2).contains(&starts), "engines play one game after another: {starts}");
}

#[test]
fn what_fails_loses_and_is_started_again() {
    for (mode, cause, words) in [
        ("crash", Cause::Crash, "exit code 3"),
        ("hang", Cause::Time, "within 1.0 s"),
        ("flood", Cause::Time, "within 1.0 s"),
        ("silent", Cause::Crash, "ended"),
        ("illegal", Cause::Illegal, "\"42\" is no legal move"),
        ("refuse", Cause::Refused, "illegal move"),
        ("resign", Cause::Resigned, "resigned"),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let begun = Instant::now();
        let played = games(mode, dir.path());
        assert!(begun.elapsed() < Duration::from_secs(30), "{mode}");
        assert_eq!(played.len(), 4);
        let mut failed = 0;
        for game in &played {
            let engine = engine_of(game);
            let Some(forfeit) = &game.forfeit else { continue };
            failed += 1;
            assert_eq!((forfeit.loser, forfeit.cause), (engine, cause), "{mode}: {forfeit:?}");
            assert!(forfeit.what.contains(words), "{mode}: {forfeit:?}");
            assert_eq!(game.outcome.winner, Some(engine.opponent()));
            assert!(!game.adjudicated && game.outcome.margin.is_none());
        }
        assert!(failed >= 3, "{mode}: random moves do not end games before the second move");
        let starts = fs::read_to_string(dir.path().join("log")).expect("a log").lines().count();
        assert!(mode == "resign" || starts > 2, "{mode}: {starts} starts");
    }
}

#[test]
fn last_words_of_a_crash_are_reported() {
    let dir = tempfile::tempdir().expect("a folder");
    let played = games("crash", dir.path());
    let reported = played.iter().filter_map(|game| game.forfeit.as_ref());
    assert!(reported.clone().count() > 0);
    assert!(reported.clone().all(|forfeit| forfeit.what.contains("out of luck")));
}

#[test]
fn children_of_an_engine_end_with_it() {
    let dir = tempfile::tempdir().expect("a folder");
    games("hang", dir.path());
    let children = fs::read_to_string(dir.path().join("log.children")).expect("children");
    assert!(children.lines().count() >= 3);
    for pid in children.lines() {
        // A zombie that nobody has waited for is no longer a process that runs.
        let runs = || {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let rest = stat.rsplit(')').next().unwrap_or_default().trim_start();
            !rest.is_empty() && !rest.starts_with('Z')
        };
        // They are killed by then, but a busy machine takes its time to bury them.
        wait_until(&format!("the end of {pid}"), Duration::from_secs(10), || !runs());
    }
}

#[test]
fn a_result_that_the_engine_counts_otherwise_is_noted() {
    let dir = tempfile::tempdir().expect("a folder");
    let played = games("dispute", dir.path());
    for game in &played {
        let same = game.outcome.winner == Some(Player::First);
        assert_eq!(game.dispute.is_none(), same, "{game:?}");
        assert!(game.forfeit.is_none());
    }
    assert!(played.iter().any(|game| game.dispute.is_some()));
}
