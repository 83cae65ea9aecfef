//! Texts of other programs, faulty ones, and any bytes at all.

use crate::common::{GAMES, random_record, spec};
use dz_game::{Game, Player, games::Go, with_game};
use dz_record::{By, Format, RecordEnd, Winner, decode, read, read_as, sgf};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const MUTATIONS: usize = 40;

fn error_of(text: &str) -> String {
    read(text).expect_err(text).to_string()
}

#[test]
fn sgf_of_other_programs() {
    let text = "From: someone (with a remark)\n\n(;GM[1]FF[3]AP[x:1]SZ[19:19]KM[6.50]RU[Japanese]\r\n\
                PlayerBlack[A\\]B \n C]PW[?]RE[W+Resign]DT[1996-05,06]C[a: \\\\ b\\\nc]\n\
                ;B[dd]C[one](;W[pp]C[two](;B[tt])(;B[aa]))(;W[cc]))\n trailing (remark) \n(;B[ss])";
    let sheets = read(text).unwrap();
    assert_eq!(sheets.len(), 2);
    let sheet = &sheets[0];
    let game = "go:size=19,komi=6.5,suicide=false,superko=simple";
    assert_eq!(sheet.game.as_ref().unwrap().to_string(), game);
    assert_eq!(sheet.header.players, [Some("A]B C".to_owned()), None]);
    assert_eq!(sheet.header.date.as_deref(), Some("1996-05,06"));
    assert_eq!(sheet.header.note.as_deref(), Some("a: \\ bc"));
    assert_eq!(
        (sheet.score.winner, sheet.score.by),
        (Winner::Player(Player::Second), By::Resignation)
    );
    let go = Go::from_spec(sheet.game.as_ref().unwrap()).unwrap();
    let played = sheet.play(&go).unwrap();
    let moves: Vec<String> = played.record.moves.iter().map(|m| go.format_move(m.mv)).collect();
    assert_eq!(moves, ["D16", "Q4", "pass"]);
    assert_eq!(played.record.moves[1].comment.as_deref(), Some("two"));
    assert_eq!(played.record.end, RecordEnd::Resigned { loser: Player::First });
    assert_eq!(sheets[1].game.as_ref().unwrap().to_string(), "go:size=19");
}

#[test]
fn sgf_of_other_games() {
    let hex = read("(;FF[4]GM[11]SZ[4];B[a2];W[swap-pieces];B[B2];W[d1];B[resign])").unwrap();
    assert_eq!(hex[0].game.as_ref().unwrap().to_string(), "hex:size=4,swap=true");
    assert_eq!(hex[0].score.winner, Winner::Player(Player::Second));
    assert_eq!(hex[0].moves.len(), 4);
    // Discs as Cassio sets them up, and a game without its first semicolon.
    let othello = read("( GM[2]FF[4]SZ[8]AB[e4][d5]AW[d4][e5]PL[B];B[f5];W[d6])").unwrap();
    let game = dz_game::games::Othello::new(8).unwrap();
    assert_eq!(othello[0].play(&game).unwrap().record.moves.len(), 2);
    let handicap = read("(;GM[1]SZ[9]HA[2]AB[cc][gg];W[ee])").unwrap();
    let go = Go::from_spec(&spec("go")).unwrap();
    let played = handicap[0].play(&go).unwrap();
    let start = |text: &str| read(text).unwrap()[0].play(&go).unwrap().record.start;
    assert_eq!(
        (played.record.moves.len(), played.record.start.as_deref()),
        (1, Some("9/9/2X6/9/9/9/6X2/9/9 w")),
        "no stone and no pass is a move"
    );
    let black = start("(;GM[1]SZ[9]HA[2]AB[cc][gg];B[ee])");
    assert_eq!(black.as_deref(), Some("9/9/2X6/9/9/9/6X2/9/9 b"));
    assert_eq!(start("(;GM[1]SZ[9]HA[2]AB[cc][gg][cc];B[ee])"), black);
    let both = start("(;GM[1]SZ[9]AB[cc]AW[gg];W[ee])");
    assert_eq!(both.as_deref(), Some("9/9/2X6/9/9/9/6O2/9/9 w"));
    let twice = read("(;GM[1]SZ[9];B[cc];B[gg])").unwrap()[0].play(&go).unwrap();
    assert_eq!((twice.record.moves.len(), twice.record.breaks[0].ply), (2, 1));
    let hex = dz_game::games::Hex::new(5, false).unwrap();
    let twice = read("(;GM[11]SZ[5];B[a1];B[b2])").unwrap()[0].play(&hex).unwrap_err().to_string();
    assert_eq!(twice, "move 2, line 1: it is the second player's turn");
    let taken = read("(;GM[1]SZ[9];B[cc]\n;W[cc])").unwrap()[0].play(&go).unwrap_err().to_string();
    assert!(taken.starts_with("move 2, line 2: move 'cc' is not legal"), "{taken}");
}

#[test]
fn pgn_of_other_programs() {
    let text = "\u{feff}% an escape\n[Event \"A \\\"cup\\\"\"]\n[Site \"here\"] [Date \"1992.??.??\"]\n\
                [White \"Fischer, Robert J.\"]\n[Black \"?\"]\n[Result \"1/2-1/2\"]\n[ECO \"C95\"]\n\n\
                1.e4 e5 2. Nf3!? Nc6 $6 ; to the end 3. Bc4\n3.Bb5 {a [comment]} (3. Bc4 (3. d4 exd4) Bc5 1-0)\n\
                3...a6 1/2-1/2\n1. d4 1-0\n[Event \"no result\"]\n1. c4\n[Event \"next\"]\n\n*\n";
    let sheets = read_as(Format::Pgn, text).unwrap();
    assert_eq!(sheets.len(), 4);
    let words = |at: usize| sheets[at].moves.iter().map(|m| m.text.as_str()).collect::<Vec<_>>();
    assert_eq!(words(0), ["e4", "e5", "Nf3!?", "Nc6", "Bb5", "a6"]);
    assert_eq!(sheets[0].header.event.as_deref(), Some("A \"cup\""));
    assert_eq!(sheets[0].header.players, [Some("Fischer, Robert J.".to_owned()), None]);
    assert_eq!((sheets[0].header.date.as_ref(), sheets[0].tag("ECO")), (None, Some("C95")));
    assert_eq!(sheets[0].moves[3].comment.as_deref(), Some("to the end 3. Bc4"));
    assert_eq!(sheets[0].score.winner, Winner::Draw);
    assert_eq!((words(1), sheets[1].score.winner), (vec!["d4"], Winner::Player(Player::First)));
    assert_eq!((words(2), sheets[2].score.winner), (vec!["c4"], Winner::Unknown));
    let chess = dz_game::games::Chess::new();
    for sheet in &sheets {
        sheet.play(&chess).unwrap();
    }
    let variant = read("[Variant \"Crazyhouse\"]\n\n1. e4 1-0").unwrap();
    assert_eq!((&variant[0].game, variant[0].tag("Variant")), (&None, None));
    assert_eq!(variant[0].variant.as_deref(), Some("Crazyhouse"));
    let error = variant[0].play(&chess).unwrap_err().to_string();
    assert_eq!(error, "line 1: the record is of a variant that is not played here: Crazyhouse");
    let dashes = read("1. e4 -- 2. d4 *").unwrap()[0].play(&chess).unwrap_err().to_string();
    assert!(dashes.starts_with("move 2, line 1: move '--' is not legal"), "{dashes}");
    let time = read("[Termination \"time forfeit\"]\n1. e4 1-0").unwrap();
    assert_eq!(time[0].score.by, By::Time);
}

#[test]
fn latin_1_is_read() {
    let sheets = read(&decode(b"(;GM[1]SZ[9]PB[Zo\xeb])").text).unwrap();
    assert_eq!(sheets[0].header.players[0].as_deref(), Some("Zoë"));
}

#[test]
fn the_mark_of_utf_8_gives_way_to_another_encoding_that_alone_fits() {
    let black = |bytes: &[u8]| {
        let text = decode(&[b"\xef\xbb\xbf", bytes].concat()).text;
        read(&text).unwrap()[0].header.players[0].clone()
    };
    // The encoder of Python, `'聂卫平'.encode('gb18030')`.
    assert_eq!(
        black(b"(;GM[1]SZ[9]CA[gb18030]PB[\xc4\xf4\xce\xc0\xc6\xbd])"),
        Some("聂卫平".into())
    );
    assert_eq!(black("(;GM[1]SZ[9]CA[gb18030]PB[聂卫平])".as_bytes()), Some("聂卫平".into()));
}

#[test]
fn faults_are_one_line_that_says_where() {
    for (text, expected) in [
        ("", "line 1: this is no record"),
        ("\n\nhello", "line 3: this is no record"),
        ("(hello)", "SGF, line 1: there is no game"),
        ("(;GM[1]\n;B[aa", "SGF, line 2: the value of B has no end"),
        ("(;GM[1]\n;B)", "SGF, line 2: property B has no value"),
        ("(;GM[1]\n!)", "SGF, line 2: '!' means nothing"),
        ("(;GM[3])", "line 1: GM[3] is no game"),
        ("(;GM[1]SZ[9:13])", "line 1: SZ[9:13] is no size"),
        ("(;GM[1]KM[6.3])", "line 1: KM[6.3] is no komi"),
        ("1. e4\n{ a comment", "PGN, line 2: a comment has no end"),
        ("game: connect4\nmove: 4\n", "plain, line 2: there is no key 'move'"),
        ("game: connect4\nwhat\n", "plain, line 2: a line is KEY: VALUE"),
        ("game: connect4\nmoves: 4\ncomment 2: x\n", "plain, line 3: a comment names"),
        ("moves: 4\nresult: 1-0\n", "plain, line 2: no such result"),
        ("{\"moves\": [\"4\"]}\n{\"moves\": 4}\n", "JSON, line 2: "),
        ("{\"moves\": [], \"comments\": {\"1\": \"x\"}}", "JSON, line 1: a comment on move 1"),
    ] {
        let error = error_of(text);
        assert!(error.starts_with(expected) && !error.contains('\n'), "{text:?}: {error}");
    }
    for (text, note) in [
        ("[Event]\n\n1. e4", "line 1: the tag Event has no value in quotes: it is passed over"),
        ("[Event \"x\n\n1. e4", "line 1: the value of the tag Event has no end: it is passed over"),
    ] {
        let sheets = read(text).unwrap();
        assert_eq!(
            (sheets.len(), sheets[0].moves.len(), &sheets[0].notes.lines()[..]),
            (1, 1, &[note.to_owned()][..])
        );
    }
    let hex = dz_game::games::Hex::new(5, false).unwrap();
    let error =
        read("(;GM[11]SZ[5];B[a1]\n;AB[b2])").unwrap()[0].play(&hex).unwrap_err().to_string();
    assert!(error.starts_with("line 2: AB changes the board"), "{error}");
    let long = format!("(;GM[1];B[{}])", "a".repeat(1000));
    let go = Go::from_spec(&spec("go")).unwrap();
    let error = read(&long).unwrap()[0].play(&go).unwrap_err().to_string();
    assert!(error.starts_with("move 1, line 1: 'aaa") && error.len() < 400, "{error}");
}

#[test]
fn depth_costs_no_stack() {
    let many = 200_000;
    let nested = "(;B[aa]".repeat(many) + &")".repeat(many);
    assert_eq!(read(&nested).unwrap()[0].moves.len(), many);
    let open = "(;".repeat(many);
    let games = sgf::parse(&open).unwrap();
    assert_eq!(games.nodes.len(), many);
    assert_eq!(sgf::parse(&games.to_string()).unwrap().nodes.len(), many);
    let variations = format!("1. e4 {}1-0", "(".repeat(many));
    assert_eq!(read(&variations).unwrap()[0].moves.len(), 1);
}

#[test]
fn trees_read_back() {
    let text = "(;FF[4]C[a\\]\\\\]\n;B[aa][bb]\n(;W[cc]\n;B[dd]\n)\n(;W[ee]\n(;B[ff]\n)\n(;B[]\n)\n)\n)\n(;GM[2]\n)\n";
    let games = sgf::parse(text).unwrap();
    assert_eq!(games.to_string(), text);
    assert_eq!((games.roots.len(), games.main_line(0).count()), (2, 4));
    assert_eq!(games.nodes[0].value("C"), Some("a]\\"));
}

/// Changes bytes of files that we write: the result is read, or refused in one line.
fn mutate<G: Game>(game: &G) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let signs = b"()[]{};:\\\"$%*!?+-=0123456789abBcWxNO\n\r \xff\xc3\xe2game";
    for format in [Format::of(game), Format::Plain, Format::Json] {
        let record = random_record(game, 5);
        let text = record.sheet(game, format).expect("a legal game").to_string();
        for _ in 0..MUTATIONS {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..random.random_range(1..6) {
                let at = random.random_range(0..bytes.len());
                match random.random_range(0..3) {
                    0 => bytes[at] = signs[random.random_range(0..signs.len())],
                    1 => bytes.insert(at, signs[random.random_range(0..signs.len())]),
                    _ => drop(bytes.remove(at)),
                }
            }
            let text = decode(&bytes).text;
            for format in Format::ALL {
                let read = read_as(format, &text);
                for sheet in read.iter().flatten() {
                    // What was read can be written and played, or is refused.
                    let _ = sheet.to_string();
                    let error = sheet.play(game).err().map(|error| error.to_string());
                    assert!(!error.unwrap_or_default().contains('\n'));
                }
                let error = read.err().map(|error| error.to_string()).unwrap_or_default();
                assert!(!error.contains('\n'), "{error}");
            }
        }
    }
}

#[test]
fn any_text_is_read_or_refused_in_one_line() {
    for game in GAMES {
        with_game!(&spec(game), |game| mutate(&game)).expect(game);
    }
}
