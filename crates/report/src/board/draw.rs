//! Boards as SVG. Colours are classes of the page's style sheet, so they follow its scheme.

use std::fmt::Write as _;

use dz_game::BoardKind;
use maud::{Markup, PreEscaped, html};

use super::Board;
use super::grid::Grid;

/// Side of a cell, in SVG units.
const CELL: f64 = 20.0;
/// A move is written with its share from here on.
const SHARE_MIN: f64 = 0.045;
/// Moves of which arrows are drawn.
const ARROWS_MAX: usize = 4;

/// The board with moves of a policy on it: discs whose area grows with the share, or arrows.
pub(crate) fn board_svg(board: &Board, policy: &[(String, f64)], title: &str) -> Markup {
    let mut out = String::new();
    board.empty(&mut out);
    board.pieces(&mut out);
    let mut arrows = 0;
    for (name, share) in policy {
        let Some(to) = board.grid.target(name) else { continue };
        match board.grid.origin(name) {
            Some(from) if arrows < ARROWS_MAX && *share >= SHARE_MIN => {
                arrows += 1;
                board.arrow(&mut out, from, to, *share);
            }
            Some(_) => {}
            None => board.share(&mut out, to, *share),
        }
    }
    board.picture(title, out)
}

/// An empty board that [`pieces_svg`] draws on, under this id; it takes no room itself.
pub(crate) fn ground_svg(board: &Board, id: &str) -> Markup {
    let mut out = String::new();
    board.empty(&mut out);
    html! {
        svg.board width="0" height="0" aria-hidden="true" {
            defs { g id=(id) { (PreEscaped(out)) } }
        }
    }
}

/// The pieces of a board on the empty one of this id, with a ring around the point of the last
/// move.
pub(crate) fn pieces_svg(board: &Board, ground: &str, last: Option<&str>, title: &str) -> Markup {
    let mut out = html! { use href={ "#" (ground) } {} }.into_string();
    board.pieces(&mut out);
    if let Some(at) = last.and_then(|name| board.grid.landed(name)) {
        let (x, y) = board.middle(at);
        let _ = write!(out, "<circle class=\"last\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.4\"/>");
    }
    board.picture(title, out)
}

/// Room beside the board for the names of its columns and rows.
struct Margins {
    /// Size of the letters.
    font: f64,
    left: f64,
    top: f64,
    bottom: f64,
}

impl Board {
    /// The board without pieces.
    fn empty(&self, out: &mut String) {
        self.ground(out);
        self.names(out, self.margins().font);
    }

    /// All pieces.
    fn pieces(&self, out: &mut String) {
        for y in 0..self.grid.height {
            for x in 0..self.grid.width {
                self.piece(out, (x, y));
            }
        }
    }

    /// A drawing of shapes. They are written without `maud`, because they hold numbers, signs of
    /// boards and names of points, but no text of others.
    fn picture(&self, title: &str, shapes: String) -> Markup {
        let (width, height) = self.size();
        let Margins { left, top, bottom, .. } = self.margins();
        let (width, height) = (width + left, height + top + bottom);
        let view = format!("{:.0} {:.0} {width:.0} {height:.0}", -left, -top);
        html! {
            svg.board viewBox=(view) role="img" aria-label=(title) { (PreEscaped(shapes)) }
        }
    }

    /// Width and height of the drawing, without its margins.
    fn size(&self) -> (f64, f64) {
        let columns = self.grid.width as f64;
        let rows = self.grid.height as f64;
        match self.kind {
            BoardKind::Hexagons => {
                (CELL * (columns + (rows - 1.0) / 2.0 + 0.2), CELL * (rows * 0.866 + 0.5))
            }
            _ => (CELL * columns, CELL * rows),
        }
    }

    /// The middle of a point.
    fn middle(&self, (x, y): (usize, usize)) -> (f64, f64) {
        let x = x as f64;
        let y = y as f64;
        match self.kind {
            BoardKind::Hexagons => (CELL * (x + y / 2.0 + 0.6), CELL * (y * 0.866 + 0.68)),
            _ => (CELL * (x + 0.5), CELL * (y + 0.5)),
        }
    }

    fn margins(&self) -> Margins {
        // A large board is drawn as wide as a small one, so its letters must be larger.
        let font = (self.size().0 / 18.0).clamp(9.0, 0.8 * CELL);
        let band = 1.5 * font;
        let left = if self.grid.row_name(0).is_some() { 1.7 * font } else { 0.0 };
        let (top, bottom) = match (self.grid.column_name(0), self.grid.begins_above()) {
            (None, _) => (0.0, 0.0),
            (Some(_), true) => (band, 0.0),
            (Some(_), false) => (0.0, band),
        };
        Margins { font, left, top, bottom }
    }

    /// Names of columns and rows beside the board. Numbered points have theirs on them, where moves
    /// are marks on points.
    fn names(&self, out: &mut String, font: f64) {
        let Grid { width, height, .. } = self.grid;
        let mut name = |(x, y): (f64, f64), font: f64, text: String| {
            let _ = write!(
                out,
                "<text class=\"place\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{font:.1}\">{text}</text>"
            );
        };
        let above = self.grid.begins_above();
        for x in 0..width {
            if let Some(text) = self.grid.column_name(x) {
                let y = if above { -0.7 * font } else { self.size().1 + 0.75 * font };
                let row = if above { 0 } else { height - 1 };
                name((self.middle((x, row)).0, y), font, text);
            }
        }
        for y in 0..height {
            if let Some(text) = self.grid.row_name(y) {
                let (x, y) = self.middle((0, y));
                name((x - 0.5 * CELL - 0.8 * font, y), font, text);
            }
        }
        if self.kind != BoardKind::Signs {
            return;
        }
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            if let Some(text) = self.grid.point_name((x, y)) {
                let (x, y) = self.middle((x, y));
                name((x - 0.36 * CELL, y - 0.34 * CELL), 0.24 * CELL, text);
            }
        }
    }

    /// What lies under the pieces.
    fn ground(&self, out: &mut String) {
        let (width, height) = self.size();
        let columns = self.grid.width;
        let rows = self.grid.height;
        match self.kind {
            BoardKind::Stones => {
                let _ = write!(out, "<rect class=\"wood\" width=\"{width}\" height=\"{height}\"/>");
                let low = CELL / 2.0;
                let right = width - CELL / 2.0;
                let bottom = height - CELL / 2.0;
                let mut lines = String::new();
                for x in 0..columns {
                    let at = CELL * (x as f64 + 0.5);
                    let _ = write!(lines, "M{at} {low}V{bottom}");
                }
                for y in 0..rows {
                    let at = CELL * (y as f64 + 0.5);
                    let _ = write!(lines, "M{low} {at}H{right}");
                }
                let _ = write!(out, "<path class=\"lines\" d=\"{lines}\"/>");
            }
            BoardKind::Hexagons => self.hexagons(out),
            BoardKind::Discs | BoardKind::Signs | BoardKind::Pieces | BoardKind::Token => {
                let _ =
                    write!(out, "<rect class=\"field\" width=\"{width}\" height=\"{height}\"/>");
                if matches!(self.kind, BoardKind::Pieces | BoardKind::Token) {
                    let dark = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
                    for (x, y) in dark.filter(|(x, y)| (x + y) % 2 == 1) {
                        let x = CELL * x as f64;
                        let y = CELL * y as f64;
                        let _ = write!(
                            out,
                            "<rect class=\"shade\" x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\"/>"
                        );
                    }
                }
                let mut lines = String::new();
                for x in 0..=columns {
                    let _ = write!(lines, "M{} 0V{height}", CELL * x as f64);
                }
                for y in 0..=rows {
                    let _ = write!(lines, "M0 {}H{width}", CELL * y as f64);
                }
                let _ = write!(out, "<path class=\"lines\" d=\"{lines}\"/>");
            }
        }
    }

    /// Cells of Hex; the first player connects top and bottom, the second the sides.
    fn hexagons(&self, out: &mut String) {
        let radius = CELL * 0.577;
        for y in 0..self.grid.height {
            for x in 0..self.grid.width {
                let (cx, cy) = self.middle((x, y));
                let corner = |k: usize| {
                    let angle = (60.0 * k as f64 - 90.0).to_radians();
                    (cx + radius * angle.cos(), cy + radius * angle.sin())
                };
                let points = (0..6).map(corner);
                let points: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                let _ = write!(out, "<polygon class=\"cell\" points=\"{}\"/>", points.join(" "));
                let edge = |out: &mut String, class: &str, corners: [usize; 3]| {
                    let [(ax, ay), (bx, by), (cx, cy)] = corners.map(corner);
                    let _ = write!(
                        out,
                        "<path class=\"{class}\" d=\"M{ax:.1} {ay:.1}L{bx:.1} {by:.1}L{cx:.1} {cy:.1}\"/>"
                    );
                };
                if y == 0 {
                    edge(out, "goal-first", [5, 0, 1]);
                }
                if y + 1 == self.grid.height {
                    edge(out, "goal-first", [2, 3, 4]);
                }
                if x == 0 {
                    edge(out, "goal-second", [3, 4, 5]);
                }
                if x + 1 == self.grid.width {
                    edge(out, "goal-second", [0, 1, 2]);
                }
            }
        }
    }

    fn piece(&self, out: &mut String, at: (usize, usize)) {
        let sign = self.grid.at(at);
        if sign == '.' {
            return;
        }
        let (x, y) = self.middle(at);
        let class = match (self.kind, sign) {
            (BoardKind::Pieces | BoardKind::Token, sign) => {
                let _ = write!(
                    out,
                    "<text class=\"piece\" x=\"{x}\" y=\"{:.1}\">{}</text>",
                    y + 6.0,
                    figurine(sign)
                );
                return;
            }
            (_, 'X') => "first",
            _ => "second",
        };
        let radius = if self.kind == BoardKind::Hexagons { 6.6 } else { 8.2 };
        if self.kind == BoardKind::Signs {
            let drawn = if sign == 'X' {
                let r = 5.5;
                format!(
                    "<path class=\"sign\" d=\"M{} {}L{} {}M{} {}L{} {}\"/>",
                    x - r,
                    y - r,
                    x + r,
                    y + r,
                    x + r,
                    y - r,
                    x - r,
                    y + r
                )
            } else {
                format!("<circle class=\"sign\" cx=\"{x}\" cy=\"{y}\" r=\"6\"/>")
            };
            out.push_str(&drawn);
        } else {
            let _ = write!(
                out,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>"
            );
        }
    }

    /// A disc with the area of the share, and the share in per cent where it is not small.
    fn share(&self, out: &mut String, at: (usize, usize), share: f64) {
        if share < 0.005 {
            return;
        }
        let (x, y) = self.middle(at);
        let radius = 9.0 * share.sqrt();
        let _ =
            write!(out, "<circle class=\"policy\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>");
        if share >= SHARE_MIN {
            let _ = write!(
                out,
                "<text class=\"share\" x=\"{x:.1}\" y=\"{:.1}\">{:.0}</text>",
                y + 2.6,
                100.0 * share
            );
        }
    }

    fn arrow(&self, out: &mut String, from: (usize, usize), to: (usize, usize), share: f64) {
        let ((ax, ay), (bx, by)) = (self.middle(from), self.middle(to));
        let wide = 1.0 + 6.0 * share;
        let _ = write!(
            out,
            "<path class=\"arrow\" stroke-width=\"{wide:.1}\" d=\"M{ax:.1} {ay:.1}L{bx:.1} {by:.1}\"/>\
             <circle class=\"policy\" cx=\"{bx:.1}\" cy=\"{by:.1}\" r=\"5.5\"/>\
             <text class=\"share\" x=\"{bx:.1}\" y=\"{:.1}\">{:.0}</text>",
            by + 2.6,
            100.0 * share
        );
    }
}

/// The chess figure of a letter; other letters as they are.
fn figurine(sign: char) -> char {
    match sign {
        'K' => '♔',
        'Q' => '♕',
        'R' => '♖',
        'B' => '♗',
        'N' => '♘',
        'P' => '♙',
        'k' => '♚',
        'q' => '♛',
        'r' => '♜',
        'b' => '♝',
        'n' => '♞',
        'p' => '♟',
        other => other,
    }
}
