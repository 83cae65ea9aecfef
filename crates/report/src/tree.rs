//! How games open, drawn: a column a ply, a box a move, as high as it is frequent.

use std::borrow::Cow;
use std::ops::Range;

use maud::{Markup, html};

use crate::count;
use crate::measures::OpeningNode;

const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 300.0;
/// A box lower than this has no text.
const TEXT_MIN: f64 = 13.0;
/// Letters that fit into a box.
const CHARS_MAX: usize = 20;

/// The tree as an `svg` element; its boxes are darker the better the first player does.
pub(crate) fn tree_svg(root: &OpeningNode) -> Markup {
    let width = WIDTH * depth(root).max(1) as f64;
    html! {
        svg.tree viewBox=(format_args!("0 0 {width:.0} {HEIGHT:.0}")) role="img"
            aria-label="Opening tree" { (replies(root, 0, 0.0..HEIGHT)) }
    }
}

/// The replies to `node` in the column of their ply, within a range of heights.
fn replies(node: &OpeningNode, ply: usize, heights: Range<f64>) -> Markup {
    let unit = (heights.end - heights.start) / node.games.max(1) as f64;
    let x = WIDTH * ply as f64;
    let mut end = heights.start;
    let placed = node.replies.iter().map(|reply| {
        let (y, height) = (end, unit * reply.games as f64);
        end += height;
        (reply, y, height)
    });
    html! {
        @for (reply, y, height) in placed {
            (move_box(reply, x, y, (height - 1.0).max(0.3)))
            @if height >= TEXT_MIN {
                (label(reply, node.games, x + 6.0, y + height / 2.0 + 4.0))
            }
            (replies(reply, ply + 1, y..y + height))
        }
    }
}

/// The box of a move.
fn move_box(reply: &OpeningNode, x: f64, y: f64, height: f64) -> Markup {
    let width = WIDTH - 2.0;
    let opacity = 0.08 + 0.6 * reply.score;
    html! {
        rect.opening x=(format_args!("{x:.0}")) y=(format_args!("{y:.1}"))
            width=(format_args!("{width:.0}")) height=(format_args!("{height:.1}"))
            fill-opacity=(format_args!("{opacity:.2}")) {
            title {
                (reply.name) ": " (count::whole(reply.games)) " games, first player scores "
                (count::real(reply.score))
            }
        }
    }
}

/// The text in a box: the move, its share of `games`, and the first player's score.
fn label(reply: &OpeningNode, games: u64, x: f64, y: f64) -> Markup {
    let share = count::whole_percent(reply.games as f64 / games.max(1) as f64);
    let facts = format!("{share} % · {}", count::real(reply.score));
    let room = CHARS_MAX.saturating_sub(facts.chars().count() + 1);
    html! {
        text x=(format_args!("{x:.0}")) y=(format_args!("{y:.1}")) {
            tspan.move { (shortened(&reply.name, room)) } " " (facts)
        }
    }
}

/// The name in at most so many letters; the box's title has all of it.
fn shortened(name: &str, room: usize) -> Cow<'_, str> {
    if name.chars().count() <= room {
        return Cow::Borrowed(name);
    }
    let kept: String = name.chars().take(room.saturating_sub(1)).collect();
    Cow::Owned(kept + "…")
}

fn depth(node: &OpeningNode) -> usize {
    node.replies.iter().map(|reply| 1 + depth(reply)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_as_high_as_moves_are_frequent() {
        let leaf = |name: &str, games| OpeningNode {
            name: name.to_owned(),
            games,
            score: 0.5,
            replies: Vec::new(),
        };
        let root = OpeningNode {
            games: 4,
            replies: vec![leaf("4", 3), leaf("<1>", 1)],
            ..OpeningNode::default()
        };
        let svg = tree_svg(&root).0;
        assert!(svg.contains("height=\"224.0\"") && svg.contains("height=\"74.0\""), "{svg}");
        assert!(svg.contains("75 % · 0.50") && svg.contains("&lt;1&gt;"), "{svg}");
        assert!(svg.contains("viewBox=\"0 0 150 300\""), "{svg}");
        assert_eq!(shortened("e7e8q", 8), "e7e8q");
        assert_eq!(shortened("promotion", 8), "promoti…");
        assert!(tree_svg(&OpeningNode::default()).0.contains("viewBox"));
    }
}
