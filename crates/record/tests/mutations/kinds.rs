//! The kinds of records, each with its spellings.

use encoding_rs::Encoding;

/// A kind of records.
pub struct Kind {
    pub name: &'static str,
    pub extension: &'static str,
    pub inputs: Vec<Input>,
}

/// A file, and how many moves each of its games has here; `None` where a note or an error must
/// report that something is unusual.
pub struct Input {
    pub bytes: Vec<u8>,
    pub expected: Option<Vec<usize>>,
    /// The same in UTF-8, for a reader that looks for brackets before it decodes.
    pub for_peer: Option<Vec<u8>>,
}

impl Input {
    fn new(bytes: impl Into<Vec<u8>>, expected: Option<&[usize]>) -> Self {
        Self { bytes: bytes.into(), expected: expected.map(<[usize]>::to_vec), for_peer: None }
    }
}

/// All kinds.
pub fn all() -> Vec<Kind> {
    vec![
        encodings(),
        komi(),
        set_ups(),
        tags(),
        signs(),
        ends(),
        lines(),
        sgf_lines(),
        sizes(),
        variants(),
    ]
}

fn kind(name: &'static str, extension: &'static str, inputs: Vec<Input>) -> Kind {
    Kind { name, extension, inputs }
}

/// Names and comments whose letters have backslashes and brackets as second bytes.
fn encodings() -> Kind {
    let mut inputs = Vec::new();
    for (label, texts) in [
        ("Shift_JIS", ["表ソ能", "予定表", "十", "ﾊﾟｽ表"]),
        ("EUC-JP", ["表ソ能", "予定表", "十", "日本"]),
        ("ISO-2022-JP", ["表", "日本", "碁", "十"]),
        ("GBK", ["黑方", "誠", "棋譜", "乗"]),
        ("gb18030", ["黑方", "誠", "棋譜", "乗"]),
        ("Big5", ["功許", "蓋", "圍棋", "黑"]),
        ("EUC-KR", ["바둑", "흑", "백", "기보"]),
        ("windows-1252", ["Müller", "Zoë", "Ø", "ñ"]),
        ("windows-1251", ["Чёрный", "Иванов", "ж", "я"]),
        ("UTF-8", ["表ソ能", "Müller", "바둑", "Ж"]),
    ] {
        let encoding = Encoding::for_label(label.as_bytes()).expect(label);
        for (at, name) in texts.into_iter().enumerate() {
            let before = if at % 2 == 0 { "" } else { "FF[4]" };
            let text = format!(
                "(;{before}GM[1]SZ[9]KM[7]CA[{label}]PB[{name}]PW[x{name}];B[ee]C[{name}];W[cc]C[{name}{name}];B[gg])"
            );
            inputs.push(encoded(encoding, label, &text, 3));
        }
        // The declaration comes after the first letters.
        let text = format!("(;GM[1]SZ[9]KM[7]PB[{}]CA[{label}];B[ee];W[cc])", texts[0]);
        inputs.push(encoded(encoding, label, &text, 2));
    }
    for (label, name) in [
        ("klingon", &b"M\xfcller"[..]),
        ("", b"\x95\x5c\x5c"),
        ("UTF-8", b"\xff"),
        ("UTF-16", b"a"),
    ] {
        let text = [b"(;GM[1]SZ[9]KM[7]CA[", label.as_bytes(), b"]PB[", name, b"];B[ee])"].concat();
        inputs.push(Input::new(text, None));
    }
    kind("encodings", "sgf", inputs)
}

fn encoded(encoding: &'static Encoding, label: &str, text: &str, moves: usize) -> Input {
    let bytes = encoding.encode(text).0.into_owned();
    let plain = text.replace(&format!("CA[{label}]"), "CA[UTF-8]");
    Input { for_peer: Some(plain.into_bytes()), ..Input::new(bytes, Some(&[moves])) }
}

fn komi() -> Kind {
    let mut inputs = Vec::new();
    for ap in ["foxwq", "SGFC:2.0", "other"] {
        for komi in ["650", "325", "750", "375", "550", "275", "700", "350"] {
            inputs.push(Input::new(format!("(;GM[1]AP[{ap}]SZ[9]KM[{komi}];B[ee];W[cc])"), None));
        }
    }
    for komi in ["6.5", "7", "7.50", " 5.5 ", "0", "0.5", "-3.5", "+6.5", "06.5", "-0", "7.", ".5"]
    {
        inputs.push(Input::new(format!("(;GM[1]SZ[9]KM[{komi}];B[ee])"), Some(&[1])));
    }
    for komi in
        ["", "6,5", "3.75", "6.3", "six", "6.5目", "600", "1e1", "nan", "inf", "6..5", "６.５"]
    {
        inputs.push(Input::new(format!("(;GM[1]SZ[9]KM[{komi}];B[ee])"), None));
    }
    kind("komi", "sgf", inputs)
}

fn set_ups() -> Kind {
    let mut inputs = Vec::new();
    for (root, moves) in [
        ("AB[cc][gg]", 1),
        ("AB[cc:gc]", 1),
        ("AB[cc:cc]", 1),
        ("AB[aa:bb][gg]", 1),
        ("AB[cc]AW[gg]", 1),
        ("AB[aa:ia]AW[ai:ii]", 1),
        ("HA[2]AB[cc][gg]", 1),
        ("HA[2]AB[cc][gg][cc]", 1),
        ("AB[cc] [gg]\n[gc]", 1),
        ("AB[cc]AE[gg]", 1),
        ("PL[W]", 1),
        ("PL[B]AB[cc]", 1),
        ("AW[cc]PL[B]", 1),
        ("HA[0]", 1),
    ] {
        for mv in [";W[ee]", ";B[ee]"] {
            let moves: &[usize] = &[moves];
            inputs.push(Input::new(format!("(;GM[1]SZ[9]KM[0.5]{root}{mv})"), Some(moves)));
        }
    }
    for (text, moves) in [
        ("KM[0.5];B[cc];B[gg];W[ee]", 3),
        ("KM[0.5];W[cc];W[gg];B[ee];B[ef]", 4),
        ("KM[0.5]HA[3];B[cc];B[gg];B[gc];W[ee];B[dd]", 5),
        ("KM[0.5]AB[cc];W[ee];W[];B[dd]", 3),
    ] {
        // Two in a row have a note, and the same moves.
        inputs.push(Input::new(format!("(;GM[1]SZ[9]{text})"), Some(&[moves])));
    }
    for text in [
        "AB[];B[ee]",
        "AB[tt];B[ee]",
        "AB[gc:cc];B[ee]",
        "AB[zz];B[ee]",
        "AB[aa]AW[ab][ba];B[ee]",
        "PL[x]AB[cc];W[ee]",
        "HA[4];W[ee]",
        "AB[cc]AW[cc];W[ee]",
        ";B[ee];AE[ee];W[cc]",
        ";B[ee];AW[aa:ca];B[cc]",
        ";B[ee][cc];W[gg]",
        ";B[ee]W[cc]",
        "AB[cc]B[ee];W[gg]",
    ] {
        inputs.push(Input::new(format!("(;GM[1]SZ[9]KM[0.5]{text})"), None));
    }
    kind("set-ups", "sgf", inputs)
}

fn tags() -> Kind {
    let mut inputs = Vec::new();
    let game = |tags: &str| format!("{tags}[Result \"1-0\"]\n\n1. e4 e5 1-0\n");
    // Read as they are.
    for tags in [
        "[Event \"x\"]\n[White \"A\"]\n[Black \"B\"]\n",
        "[White \"Prog /Level 6\\\"]\n[Black \"B\"]\n",
        "[White \"a \\\"b\\\" c\"]\n[Black \"B\"]\n",
        "[White \"a \"b\" c\"]\n[Black \"B\"]\n",
        "[White \"back\\\\slash\"]\n[Black \"B\"]\n",
        "[White \"C:\\x\"]\n[Black \"B\"]\n",
        "[White \"A\"]\n[Black \"B\"]\n[BlackType: \"x\"]\n",
        "[White \"A\"]\n[Black \"B\"]\n[A+b#c=d-e_f \"x\"]\n",
        "[White \"A\"]\n[Black \"B\"]\n[Empty \"\"]\n",
        "[White \"\"]\n[Black \"?\"]\n",
        "[White   \"A\"]\n[Black\t\"B\"]\n",
        "[White \"A]\"]\n[Black \"[B\"]\n",
        "[White \"A;B\"]\n[Black \"{C\"]\n",
        "[White \"A\"]  \n[Black \"B\"]\t\n",
        "[Game \"12\"]\n[White \"A\"]\n[Black \"B\"]\n",
        "[Game \"connect4\"]\n[White \"A\"]\n",
        "[Black \"B\"]\n[White \"A\"]\n",
        "% note\n[White \"A\"]\n[Black \"B\"]\n",
        "[White \"  A \"]\n[Black \"B\"]\n",
        "\n\n[White \"A\"]\n[Black \"B\"]\n",
        "[White \"Zoë\"]\n[Black \"表\"]\n",
    ] {
        inputs.push(Input::new(game(tags), Some(&[2])));
    }
    // Read with a note, or named.
    for tags in [
        "[white \"A\"]\n[Black \"B\"]\n",
        "[White\"A\"]\n[Black \"B\"]\n",
        "[White \"A\"\n[Black \"B\"]\n",
        "[White \"A]\n[Black \"B\"]\n",
        "[White A]\n[Black \"B\"]\n",
        "[White]\n[Black \"B\"]\n",
        "[ White \"A\" ]\n[Black \"B\"]\n",
        "[White \"A\" ]\n[Black \"B\"]\n",
        "[Whi te \"A\"]\n[Black \"B\"]\n",
        "[White \"A\"]\n[White \"C\"]\n[Black \"B\"]\n",
        "[\"A\"]\n[Black \"B\"]\n",
        "[Result \"0-1\"]\n[White \"A\"]\n",
        "[WHITE \"A\"]\n[BLACK \"B\"]\n",
        "[R\u{e9}sum\u{e9} \"A\"]\n[Black \"B\"]\n",
    ] {
        inputs.push(Input::new(game(tags), None));
    }
    // Two on a line, which python-chess takes for one.
    let two = "[White \"A\"] [Black \"B\"]\n";
    inputs.push(Input::new(game(two), None));
    for text in [
        "[White \"A\"]\n\n1. e4 e5\n[Annotator \"x\"]\n2. Nf3 *\n",
        "[White \"A\"]\n\n1. e4 e5\n\n2. Nf3 *\n",
        "[White \"A\"]\n\n1. e4 e5 1-0 2. Nf3 *\n",
        "[White \"A\"]\n\n(1. d4) 1. e4 *\n",
        "[White \"A\"]\n\n1. e4 (1. d4 d5 1... e5 *\n",
    ] {
        inputs.push(Input::new(text, None));
    }
    kind("tags", "pgn", inputs)
}

/// Signs and words between the moves; python-chess passes over all that has no move in it.
fn signs() -> Kind {
    const SIGNS: [&str; 62] = [
        "!", "?", "!!", "??", "!?", "?!", "±", "∓", "+-", "-+", "+/-", "-/+", "+/=", "=/+", "=",
        "==", "⩲", "⩱", "∞", "~", "N", "D", "TN", "RR", "zz", "#", "+", "++", "□", "■", "○", "●",
        "↑", "→", "⇆", "⇄", "⟳", "⊕", "↔", "∆", "Δ", "⌓", "⊥", "×", "✓", "✗", "⨀", "≥", "≤", "=∞",
        "±±", "$1", "$146", "$0", "$255", "ch", "mate", "e.p.", "...", "…", "|", "*!",
    ];
    let mut inputs = Vec::new();
    for sign in &SIGNS[..61] {
        let apart = format!("1. e4 {sign} e5 2. Nf3 {sign} Nc6 *\n");
        inputs.push(Input::new(apart, Some(&[4])));
    }
    for sign in ["!", "?", "!!", "±", "+-", "∞", "$6", "!?", "=", "N"] {
        // On the move itself.
        let glued = format!("1. e4{sign} e5 2. d4{sign} d5 *\n");
        let expected: Option<&[usize]> = if sign == "N" { None } else { Some(&[4]) };
        inputs.push(Input::new(glued, expected));
    }
    for word in ["hello", "[%clk", "Nf9", "--", "Z0", "blunder", "0000", "e9", "<x>"] {
        inputs.push(Input::new(format!("1. e4 {word} e5 2. Nf3 *\n"), None));
    }
    kind("signs", "pgn", inputs)
}

/// Games that go on after their end by the rules, and results of all kinds.
fn ends() -> Kind {
    let mut inputs = Vec::new();
    let knights = "Nf3 Nf6 Ng1 Ng8 ";
    for times in 1..=8 {
        inputs.push(Input::new(
            format!("1. {}e4 e5 1-0\n", knights.repeat(times)),
            Some(&[4 * times + 2]),
        ));
    }
    for result in ["1-0", "0-1", "1/2-1/2", "*"] {
        let text = format!("[Result \"{result}\"]\n\n1. e4 e5 {result}\n");
        inputs.push(Input::new(text, Some(&[2])));
        let shuffled = format!("[Result \"{result}\"]\n\n1. {}{result}\n", knights.repeat(2));
        inputs.push(Input::new(shuffled, Some(&[8])));
    }
    for clock in [90, 98, 99, 100, 101, 120, 149, 150, 200, 250, 999] {
        let fen = format!("[FEN \"4k3/8/8/8/8/8/8/R3K3 w - - {clock} 80\"]\n[SetUp \"1\"]\n\n");
        inputs.push(Input::new(format!("{fen}80. Ra2 Kd7 81. Ra3 Kd6 82. Ra4 *\n"), Some(&[5])));
    }
    for (pieces, moves) in [
        ("8/8/8/8/8/8/k7/2K5 w", "1. Kd2 Kb2"),
        ("8/8/8/8/8/8/k7/2KN4 w", "1. Kd2 Kb2"),
        ("8/8/8/8/8/8/k7/2KB4 b", "1... Kb2 2. Kd2"),
    ] {
        inputs.push(Input::new(format!("[FEN \"{pieces} - - 0 1\"]\n\n{moves} *\n"), None));
    }
    for text in [
        "1. f3 e5 2. g4 Qh4# 3. a3 *\n",
        "1. e4 e5 0-1\n1-0\n",
        "[Result \"1-0\"]\n\n1. f3 e5 2. g4 Qh4# 1-0\n",
    ] {
        inputs.push(Input::new(text, None));
    }
    kind("ends", "pgn", inputs)
}

/// Line ends and marks.
fn variants_of_lines(text: &str) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for mark in ["", "\u{feff}"] {
        for line in ["\n", "\r\n", "\r"] {
            files.push((mark.to_owned() + &text.replace('\n', line)).into_bytes());
        }
        let mixed: String = text
            .lines()
            .zip(["\n", "\r\n", "\r"].into_iter().cycle())
            .map(|(l, e)| l.to_owned() + e)
            .collect();
        files.push((mark.to_owned() + &mixed).into_bytes());
    }
    for line in ["\n", "\r\n", "\r"] {
        let marked = "\u{feff}".to_owned() + &text.replace('\n', line);
        files.push(marked.encode_utf16().flat_map(u16::to_le_bytes).collect());
        files.push(marked.encode_utf16().flat_map(u16::to_be_bytes).collect());
    }
    files
}

fn lines() -> Kind {
    let mut inputs = Vec::new();
    for text in [
        "[White \"Zoë\"]\n[Black \"b\"]\n[Result \"1-0\"]\n1. e4 {a\nb} e5\n2. Nf3 ; to the end\nNc6 1-0\n",
        "[White \"a\"]\n[Black \"b\"]\n% an escape\n1. e4 e5 *\n",
        "1. e4 e5\n2. Nf3 Nc6 1/2-1/2\n",
    ] {
        let moves = if text.contains("Nf3") { 4 } else { 2 };
        inputs.extend(
            variants_of_lines(text).into_iter().map(|file| Input::new(file, Some(&[moves]))),
        );
    }
    kind("lines", "pgn", inputs)
}

fn sgf_lines() -> Kind {
    let mut inputs = Vec::new();
    for text in [
        "(;GM[1]SZ[9]KM[7]CA[UTF-8]PB[Zoë]\n;B[ee]C[a\nb\\\nc]\n;W[cc])\n",
        "(;GM[1]\nSZ[9]\nKM[7]\n;B\n[ee]\n;W[cc]\n)\n",
        "(;GM[1]SZ[9]KM[7]GN[a\n\nb];B[ee];W[cc]C[\n])",
    ] {
        inputs.extend(variants_of_lines(text).into_iter().map(|file| Input::new(file, Some(&[2]))));
    }
    kind("sgf-lines", "sgf", inputs)
}

fn sizes() -> Kind {
    let mut inputs = Vec::new();
    for size in 2..=19 {
        inputs.push(Input::new(format!("(;GM[1]SZ[{size}]KM[7];B[aa];W[bb];B[])"), Some(&[3])));
    }
    for size in ["9:9", " 9 ", "09"] {
        inputs.push(Input::new(format!("(;GM[1]SZ[{size}]KM[7];B[ee])"), Some(&[1])));
    }
    for (properties, mv) in [
        ("GM[1]KM[7]", "ee"),
        ("GM[1]SZ[]KM[7]", "ee"),
        ("GM[1]SZ[9:13]KM[7]", "ee"),
        ("GM[1]SZ[1]KM[7]", "aa"),
        ("GM[1]SZ[20]KM[7]", "tt"),
        ("GM[1]SZ[25]KM[7]", "ee"),
        ("GM[1]SZ[x]KM[7]", "ee"),
        ("GM[1]SZ[9x9]KM[7]", "ee"),
        ("GM[1]SZ[-9]KM[7]", "ee"),
        ("GM[]SZ[9]KM[7]", "ee"),
        ("GM[3]SZ[8]", "ee"),
        ("GM[8]SZ[9]", "ee"),
        ("GM[Go]SZ[9]", "ee"),
        ("GM[1]SZ[9]KM[7]", "jj"),
        ("GM[1]SZ[5]KM[7]", "ff"),
    ] {
        inputs.push(Input::new(format!("(;{properties};B[{mv}])"), None));
    }
    kind("sizes", "sgf", inputs)
}

fn variants() -> Kind {
    let mut inputs = Vec::new();
    for usual in [
        "Standard",
        "standard",
        "Chess",
        "Classical",
        "Normal",
        "From Position",
        "illegal",
        "",
        "?",
    ] {
        let text = format!("[White \"A\"]\n[Variant \"{usual}\"]\n\n1. e4 e5 2. Nf3 *\n");
        inputs.push(Input::new(text, Some(&[3])));
    }
    for variant in [
        "Chess960",
        "chess960",
        "Chess 960",
        "Fischerandom",
        "Fischerrandom",
        "Atomic",
        "Antichess",
        "Giveaway",
        "Suicide",
        "Losers",
        "Crazyhouse",
        "Bughouse",
        "Horde",
        "Racing Kings",
        "Three-check",
        "3check",
        "King of the Hill",
        "KingOfTheHill",
        "Xiangqi",
        "Shogi",
        "Makruk",
        "wild/2",
        "Capablanca",
        "Duck",
        "Fog of War",
    ] {
        let text = format!("[White \"A\"]\n[Variant \"{variant}\"]\n\n1. e4 e5 2. Nf3 *\n");
        inputs.push(Input::new(text, None));
    }
    kind("variants", "pgn", inputs)
}
