//! Colours of figures and page, in light and in dark.

use std::fmt::Write as _;

use plotters::style::RGBColor;

/// A colour with a role. Figures are drawn with the value of the light scheme. The page's style
/// sheet matches that value in the drawing and replaces it by that of the reader's scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Ink,
    Muted,
    Grid,
    Blue,
    Orange,
    Green,
    Purple,
    Red,
    Page,
    Teal,
}

impl Colour {
    const ALL: [Self; 10] = [
        Self::Ink,
        Self::Muted,
        Self::Grid,
        Self::Blue,
        Self::Orange,
        Self::Green,
        Self::Purple,
        Self::Red,
        Self::Page,
        Self::Teal,
    ];

    /// Name of the style sheet's variable and class, value in light, value in dark.
    fn row(self) -> (&'static str, u32, u32) {
        match self {
            Self::Ink => ("ink", 0x1B_1F24, 0xE6_E8EA),
            Self::Muted => ("muted", 0x5C_6670, 0x9A_A4AE),
            Self::Grid => ("grid", 0xDD_E2E7, 0x2F_353C),
            Self::Blue => ("blue", 0x25_63A8, 0x7D_B3EF),
            Self::Orange => ("orange", 0xB8_560F, 0xF0_A061),
            Self::Green => ("green", 0x2F_7D4F, 0x7C_C99A),
            Self::Purple => ("purple", 0x7A_4FA3, 0xC3_A2E6),
            Self::Page => ("page", 0xFF_FFFF, 0x14_171A),
            Self::Teal => ("teal", 0x0E_7C86, 0x5C_C8D0),
            Self::Red => ("red", 0xB3_372F, 0xF0_8A82),
        }
    }

    /// Name in the style sheet.
    pub(crate) fn name(self) -> &'static str {
        self.row().0
    }

    /// The value that drawings carry.
    pub(crate) fn rgb(self) -> RGBColor {
        let [_, red, green, blue] = self.row().1.to_be_bytes();
        RGBColor(red, green, blue)
    }
}

/// The style sheet's part about colours: variables in both schemes, and the drawings' values tied
/// to them.
pub(crate) fn style() -> String {
    let variables = |dark: bool| {
        Colour::ALL.iter().fold(String::new(), |mut out, colour| {
            let (name, light, night) = colour.row();
            let _ = write!(out, "--{name}:#{:06x};", if dark { night } else { light });
            out
        })
    };
    let mut out = format!(
        ":root{{color-scheme:light dark;--card:#f5f7f9;{}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{--card:#1c2025;{}}}}}\n",
        variables(false),
        variables(true),
    );
    for colour in Colour::ALL {
        let (name, light, _) = colour.row();
        let _ = writeln!(
            out,
            "svg [fill=\"#{light:06X}\"]{{fill:var(--{name})}}\
             svg [stroke=\"#{light:06X}\"]{{stroke:var(--{name})}}\
             .key-{name}{{color:var(--{name})}}"
        );
    }
    out
}
