//! What pages show: words, colours, keys, sizes.

use std::time::Duration;

use serde_json::json;

use super::chromium::{Browser, Page};
use super::open_search;
use crate::common::recorded::{Shards, recorded};
use crate::common::{Served, serve};
use crate::numbers::made_up;

/// Words of letters that stand on two lines.
const BROKEN: &str = "(() => {
    const broken = [];
    const walk = document.createTreeWalker(document.getElementById('main'), NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        for (const word of node.textContent.matchAll(/[\\p{L}\\d_.+]{2,18}/gu)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const tops = [...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top));
            if (new Set(tops).size > 1) broken.push(word[0]);
        }
    }
    return broken;
})()";

#[test]
fn words_are_whole_at_every_width() {
    let mut browser = browser!();
    let served = serve();
    recorded(&served, "a");
    made_up(&served.folder.path().join("b"), 30);
    served.run("c", "connect4");
    for width in [390, 768, 1280] {
        let mut page = browser.page(width, 900, false);
        for path in ["/", "/run/a/games", "/compare?run=a&run=c", "/run/a/play", "/run/a/search"] {
            page.open(&format!("http://{}{path}", served.host));
            std::thread::sleep(Duration::from_millis(500));
            assert_eq!(page.evaluate(BROKEN), json!([]), "{path} at {width}");
            let fits = "[...document.querySelectorAll('#list .scroll, .cards, .strip, .scroll:has(.diff)')].every((one) => one.scrollWidth <= one.clientWidth)";
            assert_eq!(page.evaluate(fits), json!(true), "{path} at {width} is cut off");
        }
    }
}

/// The viewer steps by keys, and asks the champion by the rules of the game on the board.
#[test]
fn the_viewer_steps_by_keys_on_the_board_of_its_game() {
    let mut browser = browser!();
    let served = serve();
    let (_, Shards { second, .. }) = recorded(&served, "a");
    let game = served.get("/run/a/games.json").json();
    let is_of = |game: &&serde_json::Value| game["file"] == second.as_str();
    let game = game["games"].as_array().unwrap().iter().find(is_of).unwrap().clone();
    let file = second.replace('/', "%2F");
    let number = &game["number"];
    let plies = game["plies"].as_u64().unwrap();
    let mut page = browser.page(1280, 900, false);
    page.open(&format!("http://{}/run/a/games#file={file}&number={number}", served.host));
    page.wait_for(&format!("document.body.dataset.ply === '{plies}'"));
    let mut press = |key: &str, ply: u64| {
        page.key(key);
        page.wait_for(&format!("document.body.dataset.ply === '{ply}'"));
    };
    press("ArrowLeft", plies - 1);
    press("Home", 0);
    press("ArrowLeft", 0);
    press("ArrowRight", 1);
    press("End", plies);
    press("Home", 0);
    let spots = page.evaluate("document.querySelectorAll('#board .spot').length").as_u64().unwrap();
    assert!(spots > 0, "visits are on the board");
    assert_eq!(page.text(".curve-y"), "100 %50 %0 %");
    assert!(
        page.text(".curve-x").ends_with(&format!("{plies} plies")),
        "{}",
        page.text(".curve-x")
    );
    assert_eq!(page.text("#curve-title"), "Expected score of black");
    assert!(page.text("#game-note").contains(game["outcome"].as_str().unwrap()));
    page.evaluate(
        "document.getElementById('overlay').value = 'policy';
         document.getElementById('overlay').dispatchEvent(new Event('change'))",
    );
    page.wait_for("document.querySelector('#shares').textContent.includes('raw policy')");
    let link = page.evaluate("document.getElementById('to-search').href");
    assert!(link.as_str().unwrap().contains("board=go%3Asize%3D4"), "{link}");
    assert_eq!(page.errors(), Vec::<String>::new());
    page.open(link.as_str().unwrap());
    page.wait_for("document.body.dataset.searched === '200'");
    assert!(page.text("#searched").contains("go:size=4,komi=2"), "{}", page.text("#searched"));
    assert_eq!(page.errors(), Vec::<String>::new());
}

/// The luminance of a colour `rgb(r, g, b)`, 0 to 1 (WCAG 2.2, relative luminance).
fn luminance(colour: &str) -> f64 {
    let parts = colour.split(['(', ')']).nth(1).unwrap_or_else(|| panic!("no colour: {colour}"));
    let parts: Vec<f64> =
        parts.split(',').take(3).map(|part| part.trim().parse().unwrap()).collect();
    let linear = |part: f64| {
        let share = part / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(parts[0]) + 0.7152 * linear(parts[1]) + 0.0722 * linear(parts[2])
}

/// The contrast of two elements (WCAG 2.2; graphics need 3).
fn contrast(page: &mut Page<'_>, one: (&str, &str), other: (&str, &str)) -> f64 {
    let mut of = |(selector, property): (&str, &str)| {
        let script =
            format!("getComputedStyle(document.querySelector({})).{property}", json!(selector));
        luminance(page.evaluate(&script).as_str().unwrap())
    };
    let (one, other) = (of(one), of(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn play(page: &mut Page<'_>, served: &Served, run: &str) {
    page.open(&format!("http://{}/run/{run}/play", served.host));
    page.wait_for("document.body.dataset.over === 'no' && document.body.dataset.busy === 'no'");
}

#[test]
fn discs_have_the_colours_of_their_sides() {
    let mut browser = browser!();
    let served = serve();
    served.run("b", "breakthrough");
    let mut page = browser.page(1280, 900, false);
    play(&mut page, &served, "b");
    assert!(page.text("#status").starts_with("white (you) to move"), "{}", page.text("#status"));
    // The first player's discs are in the two rows at the bottom.
    let lowest = "(() => { const all = [...document.querySelectorAll('.stone')];
        const low = Math.max(...all.map((one) => one.cy.baseVal.value));
        return [...new Set(all.filter((one) => one.cy.baseVal.value === low).map((one) => one.classList[1]))]; })()";
    assert_eq!(page.evaluate(lowest), json!(["light"]));
    assert!(contrast(&mut page, (".stone.light", "fill"), (".stone.dark", "fill")) > 7.0);
    page.click_on(".point[data-x=\"2\"][data-y=\"6\"]");
    page.wait_for("document.querySelectorAll('.picked-ring').length === 1");
    assert!(contrast(&mut page, (".goal", "fill"), (".felt", "fill")) > 3.0);
    assert!(contrast(&mut page, (".picked-ring", "stroke"), (".felt", "fill")) > 3.0);
}

#[test]
fn hex_is_seen_in_both_schemes() {
    let mut browser = browser!();
    let served = serve();
    served.run("h", "hex:size=5");
    for dark in [false, true] {
        let mut page = browser.page(1280, 900, dark);
        play(&mut page, &served, "h");
        page.click_on(".point[data-x=\"2\"][data-y=\"2\"]");
        page.wait_for("document.body.dataset.moves === '2'");
        for (one, other) in [
            ((".stone.dark", "fill"), (".cell", "fill")),
            ((".edge.dark", "stroke"), (".edge.rim", "stroke")),
            ((".edge.light", "stroke"), (".edge.rim", "stroke")),
        ] {
            let found = contrast(&mut page, one, other);
            assert!(found > 3.0, "{one:?} on {other:?}: {found}, dark: {dark}");
        }
        let light = contrast(&mut page, (".stone.light", "fill"), (".stone.light", "stroke"));
        assert!(light > 3.0, "a light stone has a dark rim: {light}");
    }
}

#[test]
fn sides_and_keys_are_those_of_the_game() {
    let mut browser = browser!();
    let served = serve();
    served.run("c4", "connect4");
    served.run("go", "go:size=5");
    served.run("chess", "chess");
    let mut page = browser.page(1280, 900, false);
    for (run, side, colours, is_chess) in [
        ("c4", "yellow (first)", ["yellow", "red"], false),
        ("go", "black (first)", ["dark", "light"], false),
        ("chess", "white (first)", ["light", "dark"], true),
    ] {
        play(&mut page, &served, run);
        assert_eq!(page.text("#side option"), side);
        assert_eq!(page.evaluate("!document.getElementById('chess-keys').hidden"), json!(is_chess));
        page.evaluate("document.getElementById('hint').click()");
        page.wait_for("!document.getElementById('score').hidden");
        let bar = page
            .evaluate("[...document.querySelectorAll('.share-bar i')].map((one) => one.className)");
        assert_eq!(bar, json!(colours), "{run}");
    }
}

/// The graph fits its frame; buttons and keys make it larger.
#[test]
fn a_graph_is_fitted_and_zoomed() {
    let mut browser = browser!();
    let served = serve();
    served.run("c4", "connect4");
    let mut page = browser.page(1280, 900, true);
    open_search(&mut page, &served);
    let zoom = "Number(document.getElementById('graph').dataset.zoom)";
    let overflow = "(() => { const canvas = document.getElementById('graph');
        return canvas.clientWidth - canvas.parentElement.clientWidth; })()";
    assert!(page.evaluate(overflow).as_f64().unwrap() <= 0.0);
    page.click_on("#zoom-in");
    page.wait_for(&format!("{zoom} === 1.5"));
    page.evaluate("document.getElementById('graph').focus()");
    page.key("+");
    page.wait_for(&format!("{zoom} === 2.25"));
    assert!(page.evaluate(overflow).as_f64().unwrap() > 200.0);
    page.key("-");
    page.wait_for(&format!("{zoom} === 1.5"));
    page.key("0");
    page.wait_for(&format!("{zoom} === 1"));
    page.click_on("#zoom-out");
    assert_eq!(page.evaluate(zoom), json!(1));
    assert_eq!(page.text("#run"), "Animate");
    page.wait_for("document.querySelector('#edges thead').textContent === 'moveNQPUto node'");
    page.wait_for("document.querySelector('#edges').textContent.includes('U is that of')");
    assert!(page.text("#searched").contains("no network: none"), "{}", page.text("#searched"));
    assert_eq!(
        page.evaluate("[DZ.signed(-0.0001), DZ.signed(0.25), DZ.signed(-0.25)]"),
        json!(["0.000", "+0.250", "-0.250"])
    );
    assert_eq!(page.errors(), Vec::<String>::new());
}

/// A node of the graph becomes the root of the next search.
#[test]
fn a_search_goes_on_from_a_node() {
    let mut browser = browser!();
    let served = serve();
    served.run("c4", "connect4");
    let mut page = browser.page(1280, 900, false);
    open_search(&mut page, &served);
    assert_eq!(page.evaluate("document.getElementById('from-here').hidden"), json!(true));
    page.wait_for("document.getElementById('good-first').textContent === 'good for yellow'");
    page.evaluate("document.querySelector('#edges button').click()");
    page.wait_for("document.body.dataset.picked === '1'");
    page.click_on("#from-here");
    page.wait_for("location.hash.includes('moves=4&')");
    page.wait_for("document.body.dataset.picked === '0'");
    assert_eq!(page.errors(), Vec::<String>::new());
}

/// Names of moves do not hide each other, however many moves a position has.
#[test]
fn names_of_moves_are_apart() {
    let mut browser = browser!();
    let served = serve();
    served.run("c4", "connect4");
    for width in [390, 1280] {
        let mut page = browser.page(width, 844, false);
        page.open(&format!("http://{}/run/c4/search", served.host));
        page.wait_for("document.body.dataset.searched === '200'");
        page.evaluate(
            "const fan = document.createElement('div');
             fan.style.width = '350px';
             fan.append(document.createElement('canvas'));
             document.body.append(fan);
             const edges = Array.from({ length: 40 }, (_, at) => ({ move: `move-${at}`, visits: 40 - at, child: at + 1 }));
             const node = (number, line, own) => ({ node: number, line, to_move: 'first', visits: 2, value: 0, edges: own });
             window.drawnNames = new Map();
             const fillText = CanvasRenderingContext2D.prototype.fillText;
             CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
               if (text.startsWith('move-')) window.drawnNames.set(text, [x, y, this.measureText(text).width]);
               return fillText.call(this, text, x, y);
             };
             DZGraph.make(fan.firstChild, () => {}, () => {}).load([node(0, [], edges), ...edges.map(({ child, move }) => node(child, [move], []))]);",
        );
        page.wait_for("window.drawnNames.size > 1");
        let apart = "[...window.drawnNames].every(([name, [x, y, wide]]) => [...window.drawnNames].every(([own, [ox, oy, other]]) => own === name
            || Math.abs(x - ox) >= (wide + other) / 2 || Math.abs(y - oy) >= 12))";
        assert_eq!(page.evaluate(apart), json!(true), "names overlap at {width}");
    }
}

/// The button counts the runs that are picked.
#[test]
fn runs_are_picked_for_a_comparison() {
    let mut browser = browser!();
    let served = serve();
    served.run("a", "connect4");
    served.run("b", "connect4");
    let mut page = browser.page(390, 844, false);
    page.open(&format!("http://{}/", served.host));
    page.wait_for("document.querySelector('.compare button').disabled");
    page.click_on("[data-run=\"a\"] input");
    page.wait_for("document.getElementById('picked').textContent === 'Pick one more.'");
    page.click_on("[data-run=\"b\"] input");
    page.wait_for("!document.querySelector('.compare button').disabled");
    assert_eq!(page.text(".compare button"), "Compare 2 runs");
    page.click_on(".compare button");
    page.wait_for("location.pathname === '/compare' && document.readyState === 'complete'");
    assert_eq!(page.text("h1"), "Comparison");
}

/// From a click on "Search" to the drawn graph.
#[test]
fn a_search_is_shown_within_a_second() {
    let mut browser = browser!();
    let served = serve();
    served.run("c4", "connect4");
    let mut page = browser.page(1280, 900, false);
    open_search(&mut page, &served);
    page.evaluate(
        "window.begun = performance.now();
         window.took = null;
         new MutationObserver(() => { window.took = performance.now() - window.begun; })
           .observe(document.body, { attributes: true, attributeFilter: ['data-searched'] });
         document.getElementById('ask').requestSubmit()",
    );
    page.wait_for("window.took !== null");
    let took = page.evaluate("window.took").as_f64().unwrap();
    eprintln!("a search of 200 playouts is shown after {took:.0} ms");
    assert!(took < 1_000.0, "{took} ms");
}
