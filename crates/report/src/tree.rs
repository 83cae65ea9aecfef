//! How games open, drawn: a column a ply, a box a move, as high as it is frequent.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use crate::count;
use crate::html::escape;
use crate::measures::OpeningNode;

const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 300.0;
/// A box lower than this has no text.
const TEXT_MIN: f64 = 13.0;
/// Letters that fit into a box.
const CHARS_MAX: usize = 20;

/// The tree as an `svg` element; its boxes are darker the better the first player does.
pub(crate) fn tree_svg(root: &OpeningNode) -> String {
    let depth = depth(root);
    let mut out = format!(
        "<svg class=\"tree\" viewBox=\"0 0 {:.0} {HEIGHT:.0}\" role=\"img\" aria-label=\"Opening tree\">",
        WIDTH * depth.max(1) as f64
    );
    replies(&mut out, root, 0, 0.0..HEIGHT);
    out.push_str("</svg>");
    out
}

/// The replies to `node` in the column of their ply, within a range of heights.
fn replies(out: &mut String, node: &OpeningNode, ply: usize, heights: Range<f64>) {
    let unit = (heights.end - heights.start) / node.games.max(1) as f64;
    let mut y = heights.start;
    for reply in &node.replies {
        let height = unit * reply.games as f64;
        let x = WIDTH * ply as f64;
        let _ = write!(
            out,
            "<rect class=\"opening\" x=\"{x:.0}\" y=\"{y:.1}\" width=\"{:.0}\" height=\"{:.1}\" \
             fill-opacity=\"{:.2}\"><title>{}: {} games, first player scores {}</title></rect>",
            WIDTH - 2.0,
            (height - 1.0).max(0.3),
            0.08 + 0.6 * reply.score,
            escape(&reply.name),
            count::whole(reply.games),
            count::real(reply.score),
        );
        if height >= TEXT_MIN {
            let share = count::whole_percent(reply.games as f64 / node.games.max(1) as f64);
            let facts = format!("{share} % · {}", count::real(reply.score));
            let room = CHARS_MAX.saturating_sub(facts.chars().count() + 1);
            let _ = write!(
                out,
                "<text x=\"{:.0}\" y=\"{:.1}\"><tspan class=\"move\">{}</tspan> {facts}</text>",
                x + 6.0,
                y + height / 2.0 + 4.0,
                escape(&shortened(&reply.name, room)),
            );
        }
        replies(out, reply, ply + 1, y..y + height);
        y += height;
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
        let svg = tree_svg(&root);
        assert!(svg.contains("height=\"224.0\"") && svg.contains("height=\"74.0\""), "{svg}");
        assert!(svg.contains("75 % · 0.50") && svg.contains("&lt;1&gt;"), "{svg}");
        assert!(svg.contains("viewBox=\"0 0 150 300\""), "{svg}");
        assert_eq!(shortened("e7e8q", 8), "e7e8q");
        assert_eq!(shortened("promotion", 8), "promoti…");
        assert!(tree_svg(&OpeningNode::default()).contains("viewBox"));
    }
}
