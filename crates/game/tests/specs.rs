//! Names and parameters of games as text: accepted texts, refused texts and their messages.

use dz_game::{GameError, GameSpec, canonical_spec};

fn canonical(text: &str) -> Result<String, GameError> {
    Ok(canonical_spec(&text.parse()?)?.to_string())
}

#[test]
fn what_is_left_out_takes_its_default() {
    let full = "connect4:width=7,height=6,connect=4";
    for text in ["connect4", "connect4:width=7", "connect4:connect=4,height=6", full] {
        assert_eq!(canonical(text).as_deref(), Ok(full), "{text}");
    }
    assert_eq!(canonical("tictactoe").as_deref(), Ok("tictactoe"));
    for text in ["hex", "hex:size=11", "hex:swap=false", "hex:swap=false,size=11"] {
        assert_eq!(canonical(text).as_deref(), Ok("hex:size=11,swap=false"), "{text}");
    }
    assert_eq!(canonical("hex:swap=true").as_deref(), Ok("hex:size=11,swap=true"));
    assert_eq!(canonical("shuttle").as_deref(), Ok("shuttle:length=5"));
    let full = "go:size=9,komi=7,suicide=false,superko=positional";
    for text in ["go", "go:komi=7.0", "go:repetition_bound=11", full] {
        assert_eq!(canonical(text).as_deref(), Ok(full), "{text}");
    }
    assert_eq!(canonical("go:history_planes=0").as_deref(), Ok(full));
    let unusual = "go:size=19,komi=-0.5,suicide=true,superko=simple,repetition_bound=30,\
                   history_planes=7";
    assert_eq!(canonical(unusual).as_deref(), Ok(unusual));
}

#[test]
fn text_that_is_no_specification_is_refused() {
    for text in ["", ":", "connect4:", "connect4:width", "connect4:width=", "connect4:=7", "c 4"] {
        assert!(matches!(canonical(text), Err(GameError::BadSpec { .. })), "{text}");
    }
    for text in ["connect4:width=7,,height=6", "connect4:width=7,width=7", "connect4:width=7,"] {
        assert!(matches!(canonical(text), Err(GameError::BadSpec { .. })), "{text}");
    }
}

#[test]
fn errors_name_what_there_is() {
    let message = |text: &str| canonical(text).expect_err("refused").to_string();
    assert!(message("chequers").contains("games are: connect4, tictactoe"));
    assert!(message("connect4:wide=7").contains("it has: width, height, connect"));
    assert!(message("tictactoe:size=3").contains("it has: none"));
    assert!(message("connect4:width=0").contains("allowed: 1 to 32"));
    assert!(message("connect4:width=x").contains("allowed: 1 to 32"));
    assert!(message("connect4:width=32,height=4").contains("up to 128"));
    assert!(message("connect4:connect=8").contains("2 to the longer side"));
    assert!(message("hex:size=1").contains("allowed: 2 to 19"));
    assert!(message("hex:size=20").contains("allowed: 2 to 19"));
    assert!(message("hex:swap=yes").contains("allowed: true or false"));
    assert!(message("go:size=20").contains("allowed: 2 to 19"));
    for komi in ["", "x", "7.25", "+7", "7.", ".5", "--1", "361.5", "362", "NaN", "7,5"] {
        assert!(canonical(&format!("go:komi={komi}")).is_err(), "{komi}");
    }
    assert!(message("go:komi=x").contains("whole and half points"));
    assert!(message("go:superko=ko").contains("positional, situational, simple"));
    assert!(message("go:history_planes=8").contains("allowed: 0 to 7"));
    assert!(message("shuttle:length=4").contains("odd"));
}

#[test]
fn a_specification_is_one_string_in_files() {
    let spec: GameSpec = "connect4:width=5".parse().expect("a specification");
    assert_eq!(String::from(spec.clone()), "connect4:width=5");
    assert_eq!(GameSpec::try_from("connect4:width=5".to_owned()), Ok(spec));
}
