//! Komi as servers and programs write it.

use super::Node;

/// More points than anybody gives (`KataGo`, `Rules::MAX_USER_KOMI`).
const KOMI_MAX: f64 = 150.0;

/// Values that Fox and SGFC 2.0 write, and the points that they mean: hundredths, or hundredths of
/// Chinese stones, each of which counts two points (`KataGo`, `SgfNode::getKomiOrDefault`).
const SCALED: [(f64, f64); 8] = [
    (550.0, 5.5),
    (275.0, 5.5),
    (650.0, 6.5),
    (325.0, 6.5),
    (750.0, 7.5),
    (375.0, 7.5),
    (700.0, 7.0),
    (350.0, 7.0),
];

/// Komi of the root in points, as a parameter of Go, and a note where it differs from the text.
/// `None` where the root has no komi.
///
/// # Errors
/// A komi that no rule explains.
pub(super) fn of(root: &Node) -> Result<(Option<String>, Option<String>), String> {
    let Some(written) = root.value("KM") else { return Ok((None, None)) };
    if written.trim().is_empty() {
        return Ok((None, Some("KM[] holds no komi".to_owned())));
    }
    let bad = || {
        let text: String = written.chars().take(16).collect();
        format!(
            "KM[{}] is no komi; write whole or half points, for example KM[7.5]",
            text.escape_debug()
        )
    };
    let (number, plain) = number(written).ok_or_else(bad)?;
    let (komi, rule) = points(root, number).ok_or_else(bad)?;
    // Minus zero is zero.
    let text = (komi + 0.0).to_string();
    let note = rule.or((!plain).then_some(String::new())).map(|rule| {
        let written: String = written.chars().take(16).collect();
        format!("KM[{}] is read as {text} points{rule}", written.escape_debug())
    });
    Ok((Some(text), note))
}

/// The number, and whether it stands there with a decimal point and nothing else.
fn number(written: &str) -> Option<(f64, bool)> {
    let plain = |text: &str| -> Option<f64> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_digit = |c: char| c.is_ascii_digit() || c == '.';
        let fits = digits.len() <= 12 && digits.chars().all(is_digit);
        fits.then(|| text.parse().ok()).flatten()
    };
    let text = written.trim();
    if let Some(number) = plain(text) {
        return Some((number, true));
    }
    // Digits of full width, a decimal comma, one half, and the word for points.
    let narrow = |c: char| match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(c),
        _ => c,
    };
    let text: String = text.chars().map(narrow).collect::<String>().to_lowercase();
    let text = text.replace(',', ".").replace(" 1/2", ".5").replace('½', ".5");
    let units = ["points", "point", "pts", "pt", "moku", "目半", "目"];
    let unit = units.into_iter().find(|unit| text.ends_with(unit));
    let bare = unit.map_or(text.as_str(), |unit| text[..text.len() - unit.len()].trim_end());
    let number = plain(bare)?;
    Some((if unit == Some("目半") { number + 0.5 } else { number }, false))
}

/// The points that a number means, and by which rule where it is not the number itself.
fn points(root: &Node, number: f64) -> Option<(f64, Option<String>)> {
    let quarters = |number: f64| (4.0 * number).fract() == 0.0;
    let halves = |number: f64| (2.0 * number).fract() == 0.0;
    if let Some((_, points)) = SCALED.iter().find(|(scaled, _)| *scaled == number) {
        let known =
            root.value("AP").is_some_and(|ap| ap.contains("foxwq") || ap.contains("SGFC:2.0"));
        let rule = if known { "" } else { ", as Fox and SGFC write them" };
        return Some((*points, Some(rule.to_owned())));
    }
    if number.abs() > KOMI_MAX {
        return None;
    }
    if halves(number) {
        return Some((number, None));
    }
    // A quarter can only be Chinese: stones are counted, and each makes a difference of two points.
    let rules = root.value("RU").unwrap_or_default().trim().to_lowercase();
    let chinese = rules.is_empty() || rules.starts_with("chinese") || rules.contains("中国");
    let rule = ", in Chinese stones of two points each";
    (quarters(number) && chinese).then(|| (2.0 * number, Some(rule.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgf;

    fn komi(properties: &str) -> Result<Option<String>, String> {
        let games = sgf::parse(&format!("(;GM[1]{properties})")).expect("SGF");
        of(&games.nodes[0]).map(|(komi, _)| komi)
    }

    fn note(properties: &str) -> Option<String> {
        let games = sgf::parse(&format!("(;GM[1]{properties})")).expect("SGF");
        of(&games.nodes[0]).expect("a komi").1
    }

    #[test]
    fn komi_is_read_as_katago_reads_it() {
        for (scaled, points) in SCALED {
            for ap in ["AP[foxwq]", "AP[SGFC:2.0]", ""] {
                assert_eq!(komi(&format!("{ap}KM[{scaled}]")), Ok(Some(points.to_string())));
            }
        }
        for (written, points) in [
            ("6.5", "6.5"),
            (" 7 ", "7"),
            ("0", "0"),
            ("-0", "0"),
            ("-5.50", "-5.5"),
            ("+6.5", "6.5"),
            ("6,5", "6.5"),
            ("6.5目", "6.5"),
            ("6目半", "6.5"),
            ("６．５", "6.5"),
            ("7½", "7.5"),
            ("6 1/2", "6.5"),
            ("5.5 points", "5.5"),
            ("3.75", "7.5"),
            ("2.75", "5.5"),
        ] {
            assert_eq!(komi(&format!("KM[{written}]")), Ok(Some(points.to_owned())), "{written}");
        }
        assert_eq!((komi(""), komi("KM[]"), komi("KM[ ]")), (Ok(None), Ok(None), Ok(None)));
    }

    #[test]
    fn what_no_rule_explains_is_an_error_that_names_it() {
        for written in [
            "6.3", "600", "151", "-375", "1e1", "inf", "nan", "six", "6.5.5", "--5", "6,5,5",
            "1000000", "3.8",
        ] {
            let error = komi(&format!("AP[foxwq]KM[{written}]")).expect_err(written);
            assert!(error.starts_with(&format!("KM[{written}] is no komi")), "{error}");
        }
        assert!(komi("RU[Japanese]KM[3.75]").is_err());
    }

    #[test]
    fn what_is_not_simply_read_has_a_note() {
        assert_eq!(note("KM[6.5]"), None);
        assert_eq!(note("AP[foxwq]KM[650]").as_deref(), Some("KM[650] is read as 6.5 points"));
        assert!(note("KM[325]").is_some_and(|note| note.contains("6.5 points, as Fox")));
        assert!(note("KM[6,5]").is_some_and(|note| note.contains("read as 6.5")));
        assert!(note("KM[3.75]").is_some_and(|note| note.contains("7.5 points, in Chinese")));
        assert!(note("KM[]").is_some());
    }
}
