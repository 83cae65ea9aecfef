//! Pages in Chromium, driven by its protocol for tools. Skipped, with a reason, where there is no
//! Chromium.

mod chromium;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::recorded::{Shards, recorded};
use crate::common::{Served, serve};
use crate::numbers::made_up;
use crate::play::GAMES;
use chromium::{Browser, Page};

/// A browser, or a line that says why the test is skipped.
macro_rules! browser {
    () => {
        match Browser::start() {
            Ok(browser) => browser,
            Err(why) => {
                eprintln!("skipped: {why}");
                return;
            }
        }
    };
}

mod shown;

/// Opens the run `chess` to play both sides.
fn play_chess_for_both(page: &mut Page<'_>, served: &Served) {
    page.open(&format!("http://{}/run/chess/play", served.host));
    page.wait_for("document.body.dataset.over === 'no'");
    page.evaluate(
        "document.getElementById('side').value = 'both';
         document.getElementById('side').dispatchEvent(new Event('change'))",
    );
    page.wait_for("document.body.dataset.busy === 'no'");
}

/// Opens the search of the run `c4` and waits for its first result.
fn open_search(page: &mut Page<'_>, served: &Served) {
    page.open(&format!("http://{}/run/c4/search", served.host));
    page.wait_for("document.body.dataset.searched === '200'");
}

/// Presses what can be played until the game is over.
fn play_to_the_end(page: &mut Page<'_>, game: &str) {
    let deadline = Instant::now() + Duration::from_mins(4);
    // Where the browser may press: the middle of a place that plays a move.
    let place = "(() => {
        if (document.body.dataset.over === 'yes') return 'over';
        if (document.body.dataset.busy !== 'no') return null;
        const choices = [...document.querySelectorAll('#choices button')];
        const points = [...document.querySelectorAll('.point.legal')];
        const pass = choices.length && (points.length === 0 || Number(document.body.dataset.moves) > 14);
        const goals = points.filter((point) => point.querySelector('.goal'));
        const from = goals.length ? goals : points;
        const at = Number(document.body.dataset.moves) + from.length;
        const target = pass ? choices[0] : from[at % from.length];
        if (!target) return null;
        target.scrollIntoView({ block: 'center' });
        const box = target.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    })()";
    loop {
        assert!(Instant::now() < deadline, "{game} does not end: {}", page.text("#status"));
        match page.evaluate(place) {
            Value::String(over) if over == "over" => return,
            Value::Array(at) => {
                page.click(at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
            }
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

#[test]
fn every_game_is_played_to_its_end_by_clicks() {
    let mut browser = browser!();
    let served = serve();
    for (at, game) in GAMES.iter().enumerate().filter(|(_, game)| **game != "chess") {
        let name = format!("r{at}");
        served.run(&name, game);
        let mut page = browser.page(1280, 900, false);
        page.open(&format!("http://{}/run/{name}/play", served.host));
        page.wait_for("document.body.dataset.over === 'no'");
        page.evaluate(
            "document.getElementById('playouts').value = '1';
             document.getElementById('playouts').dispatchEvent(new Event('change'))",
        );
        play_to_the_end(&mut page, game);
        let status = page.text("#status");
        assert!(status.contains("over"), "{game}: {status}");
        assert_eq!(page.errors(), Vec::<String>::new(), "{game}");
    }
}

#[test]
fn chess_takes_clicks_and_san_and_has_no_more_moves_after_mate() {
    let mut browser = browser!();
    let served = serve();
    served.run("chess", "chess");
    let mut page = browser.page(1280, 900, false);
    play_chess_for_both(&mut page, &served);
    let click = |page: &mut Page<'_>, square: (u32, u32)| {
        let (x, y) = square;
        page.click_on(&format!(".point[data-x=\"{x}\"][data-y=\"{y}\"]"));
    };
    for (number, (from, to)) in
        [((5, 6), (5, 5)), ((4, 1), (4, 3)), ((6, 6), (6, 4))].into_iter().enumerate()
    {
        click(&mut page, from);
        click(&mut page, to);
        page.wait_for(&format!("document.body.dataset.moves === '{}'", number + 1));
        page.wait_for("document.body.dataset.busy === 'no'");
    }
    page.evaluate(
        "document.getElementById('move').value = 'Qh4';
         document.getElementById('typed').requestSubmit()",
    );
    page.wait_for("document.body.dataset.over === 'yes'");
    assert!(page.text("#status").contains("black won"), "{}", page.text("#status"));
    assert_eq!(page.evaluate("document.querySelectorAll('.point').length"), json!(0));
    assert_eq!(page.errors(), Vec::<String>::new());
}

/// White takes a bishop with a pawn that becomes a queen, and mates.
#[test]
fn chess_is_played_to_mate_by_clicks_with_a_promotion() {
    let mut browser = browser!();
    let served = serve();
    served.run("chess", "chess");
    let mut page = browser.page(1280, 900, false);
    play_chess_for_both(&mut page, &served);
    let moves = "e2e4 d7d5 e4d5 c7c6 d5c6 f7f6 c6b7 g7g5 b7c8q a7a6 d1h5";
    for (number, name) in moves.split(' ').enumerate() {
        let bytes = name.as_bytes();
        for at in [&bytes[..2], &bytes[2..4]] {
            let (x, y) = (at[0] - b'a', b'8' - at[1]);
            page.click_on(&format!(".point[data-x=\"{x}\"][data-y=\"{y}\"]"));
        }
        if name.len() == 5 {
            page.wait_for("document.querySelectorAll('#choices button').length === 4");
            let queen = "[...document.querySelectorAll('#choices button')].find((one) => one.textContent === 'b7c8q')";
            page.evaluate(&format!("{queen}.click()"));
        }
        page.wait_for(&format!("document.body.dataset.moves === '{}'", number + 1));
        page.wait_for("document.body.dataset.busy === 'no'");
    }
    page.wait_for("document.body.dataset.over === 'yes'");
    assert!(page.text("#status").contains("white won"), "{}", page.text("#status"));
    assert_eq!(page.errors(), Vec::<String>::new());
}

/// The board can be used without a mouse, and says what is where.
#[test]
fn keys_play_and_points_have_names() {
    let mut browser = browser!();
    let served = serve();
    served.run("c4", "connect4");
    let mut page = browser.page(390, 800, true);
    page.open(&format!("http://{}/run/c4/play", served.host));
    page.wait_for("document.querySelectorAll('.point').length === 7");
    page.evaluate("document.querySelector('.point[tabindex=\"0\"]').focus()");
    for key in ["ArrowLeft", "ArrowLeft", "Enter"] {
        page.key(key);
    }
    page.wait_for("Number(document.body.dataset.moves) === 2");
    assert_eq!(page.evaluate("document.querySelector('#moves li').textContent"), json!("2"));
    let label = page.evaluate("document.querySelector('.point').getAttribute('aria-label')");
    assert_eq!(label, json!("column 1"));
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn pages_fit_a_phone_and_ask_nobody_else() {
    let mut browser = browser!();
    let served = serve();
    served.run("a run with a rather long name that does not end soon", "connect4");
    let id = "a%20run%20with%20a%20rather%20long%20name%20that%20does%20not%20end%20soon";
    for dark in [false, true] {
        for width in [390, 1280] {
            let mut page = browser.page(width, 800, dark);
            for path in ["", "/games", "/play", "/search"].map(|page| format!("/run/{id}{page}")) {
                open_and_check(&mut page, &served, &path);
            }
            open_and_check(&mut page, &served, "/");
            open_and_check(&mut page, &served, "/nothing");
        }
    }
}

/// Every page of every game, with a game in the viewer and a search on the board.
#[test]
fn every_game_fits_a_phone() {
    let mut browser = browser!();
    let served = serve();
    for (at, game) in GAMES.iter().enumerate() {
        served.run(&format!("r{at}"), game);
    }
    let (_, Shards { own, .. }) = recorded(&served, "viewer");
    made_up(&served.folder.path().join("report"), 30);
    let file = own[0].replace('/', "%2F");
    for (dark, width) in [(false, 390), (true, 390), (false, 1280)] {
        let mut page = browser.page(width, 844, dark);
        for at in 0..GAMES.len() {
            let run = format!("/run/r{at}");
            open_and_check_when(&mut page, &served, &format!("{run}/play"), "dataset.over");
            open_and_check_when(&mut page, &served, &format!("{run}/search"), "dataset.searched");
            if dark {
                continue;
            }
            open_and_check(&mut page, &served, &run);
            open_and_check(&mut page, &served, &format!("{run}/games"));
        }
        let viewer = format!("/run/viewer/games#file={file}&number=0");
        open_and_check_when(&mut page, &served, &viewer, "dataset.ply");
        open_and_check_when(&mut page, &served, "/run/report", "dataset.record");
        open_and_check(&mut page, &served, "/compare?run=report&run=r1");
        open_and_check(&mut page, &served, "/");
    }
}

/// axe-core, the checker of accessibility: the file that `DAGZERO_AXE` names, or none. `npm install
/// axe-core` brings node_modules/axe-core/axe.min.js.
fn axe() -> Option<String> {
    let Some(path) = std::env::var_os("DAGZERO_AXE") else {
        eprintln!("no check of accessibility: DAGZERO_AXE names no axe.min.js");
        return None;
    };
    Some(std::fs::read_to_string(path).expect("the file that DAGZERO_AXE names"))
}

/// What axe-core calls serious or critical on a page.
fn barriers(page: &mut Page<'_>, axe: &str) -> Value {
    page.evaluate(&format!("{axe}\n; true"));
    page.evaluate(
        "window.found = null;
         window.axe.run(document, { resultTypes: ['violations'] }).then((results) => {
           const bad = results.violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
           window.found = bad.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(' ')}`);
         });
         true",
    );
    page.wait_for("window.found !== null");
    page.evaluate("window.found")
}

#[test]
fn nothing_serious_keeps_people_out() {
    let Some(axe) = axe() else { return };
    let mut browser = browser!();
    let served = serve();
    served.run("a", "connect4");
    served.run("b", "go");
    let pages = ["", "/games", "/play", "/search"].map(|page| format!("/run/a{page}"));
    let others = ["/", "/compare?run=a&run=b", "/run/b/play", "/nothing"].map(str::to_owned);
    for (dark, width) in [(false, 1280), (true, 1280), (false, 390)] {
        let mut page = browser.page(width, 800, dark);
        for path in pages.iter().chain(&others) {
            page.open(&format!("http://{}{path}", served.host));
            std::thread::sleep(Duration::from_millis(400));
            assert_eq!(barriers(&mut page, &axe), json!([]), "{path}");
        }
        // The checker finds what is wrong.
        page.evaluate("document.body.append(document.createElement('button')); true");
        assert_ne!(barriers(&mut page, &axe), json!([]));
    }
}

fn open_and_check(page: &mut Page<'_>, served: &Served, path: &str) {
    page.open(&format!("http://{}{path}", served.host));
    std::thread::sleep(Duration::from_millis(400));
    check(page, served, path);
}

/// The same once the page's body has this datum, which its script sets last.
fn open_and_check_when(page: &mut Page<'_>, served: &Served, path: &str, datum: &str) {
    page.open(&format!("http://{}{path}", served.host));
    page.wait_for(&format!("document.body.{datum}"));
    check(page, served, path);
}

/// The page fits the screen, has no error, and asks no other server.
fn check(page: &mut Page<'_>, served: &Served, path: &str) {
    let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    assert_eq!(page.evaluate(fits), json!(true), "{path} is wider than the screen");
    let errors = page.errors();
    let unexpected: Vec<&String> = errors
        .iter()
        // The browser reports a page that is not there.
        .filter(|error| !(path == "/nothing" && error.contains("404")))
        .collect();
    assert!(unexpected.is_empty(), "{path}: {unexpected:?}");
    for address in page.requests() {
        assert!(
            address.starts_with(&format!("http://{}/", served.host))
                || address.starts_with("data:"),
            "{path} asks for {address}"
        );
    }
}

/// The page follows a ledger that grows, is gone, and is there again.
#[test]
fn the_report_follows_its_run() {
    let mut browser = browser!();
    let served = serve();
    let run = served.run("a", "tictactoe");
    let mut page = browser.page(1280, 900, false);
    page.open(&format!("http://{}/run/a", served.host));
    page.wait_for("document.body.dataset.record === '2'");
    let lock = dz_store::RunLock::acquire(&run, dz_store::Stage::Driver).unwrap();
    page.wait_for("document.getElementById('standing-text').textContent.startsWith('running')");
    let mut ledger = dz_store::Ledger::open(&run).unwrap();
    ledger.claim(dz_store::Stage::Driver).unwrap();
    page.wait_for("document.body.dataset.record === '3'");
    drop(lock);
    page.wait_for("document.getElementById('standing-text').textContent.startsWith('not running')");
    let aside = served.folder.path().join("aside-for-a-moment");
    std::fs::rename(run.root(), &aside).unwrap();
    page.wait_for(
        "document.getElementById('standing-text').textContent.includes('cannot be read')",
    );
    std::fs::rename(&aside, run.root()).unwrap();
    ledger.claim(dz_store::Stage::Driver).unwrap();
    page.wait_for("document.body.dataset.record === '4'");
}

/// Two people have a game each, and both follow one run.
#[test]
fn two_browsers_do_not_mix_their_games() {
    let mut first = browser!();
    let mut second = browser!();
    let served = serve();
    let run = served.run("a", "connect4");
    let address = format!("http://{}/run/a", served.host);
    let mut one = first.page(1280, 900, false);
    let mut other = second.page(390, 800, true);
    for (page, column) in [(&mut one, 0), (&mut other, 6)] {
        page.open(&format!("{address}/play"));
        page.wait_for("document.body.dataset.over === 'no'");
        page.click_on(&format!(".point[data-x=\"{column}\"]"));
    }
    for (page, column) in [(&mut one, "1"), (&mut other, "7")] {
        page.wait_for("document.body.dataset.moves === '2'");
        assert_eq!(page.text("#moves li"), column);
        page.open(&address);
        page.wait_for("document.body.dataset.record === '2'");
    }
    let mut ledger = dz_store::Ledger::open(&run).unwrap();
    ledger.claim(dz_store::Stage::Driver).unwrap();
    for page in [&mut one, &mut other] {
        page.wait_for("document.body.dataset.record === '3'");
        assert_eq!(page.errors(), Vec::<String>::new());
    }
}

#[test]
fn a_graph_of_2000_nodes_is_drawn_within_a_second() {
    let mut browser = browser!();
    let served = serve();
    served.run("c4", "connect4");
    let mut page = browser.page(1280, 900, false);
    open_search(&mut page, &served);
    page.evaluate(
        "document.getElementById('cap').value = '2000';
         document.getElementById('cap').dispatchEvent(new Event('change'));
         document.getElementById('playouts').value = '2000';
         document.getElementById('ask').requestSubmit()",
    );
    page.wait_for("document.body.dataset.searched === '2000'");
    assert_eq!(page.evaluate("document.getElementById('graph').dataset.nodes"), json!("2000"));
    let fits = "(() => { const canvas = document.getElementById('graph');
        return canvas.clientWidth <= canvas.parentElement.clientWidth; })()";
    assert_eq!(page.evaluate(fits), json!(true), "all of the graph is in the frame");
    let drawn = page.evaluate("Number(document.getElementById('graph').dataset.drawnMs)");
    assert!(drawn.as_f64().unwrap() < 1_000.0, "{drawn} ms");
    page.evaluate("document.getElementById('back').click()");
    page.wait_for("document.body.dataset.playout === '49'");
    page.wait_for("document.querySelectorAll('#choices table').length === 1");
    page.evaluate("document.querySelector('#edges button').click()");
    page.wait_for("document.body.dataset.picked === '1'");
    assert_eq!(page.errors(), Vec::<String>::new());
}
