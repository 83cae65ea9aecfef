//! Network files: round trip, documented names, and every refusal.

use std::collections::{BTreeMap, HashMap};

use dz_network_file::{
    Head, NetworkError, NetworkFile, NetworkHeader, NetworkSpec, TensorData, container,
};

fn spec() -> NetworkSpec {
    NetworkSpec {
        game: "connect4:width=7,height=6,connect=4".to_owned(),
        encoding: "connect4-v1:6x7".to_owned(),
        globals: 2,
        policy_channels: 2,
        value_channels: 3,
        value_hidden: 5,
        global_pooling: true,
        ..NetworkSpec::plain([3, 6, 7], 7, 2, 8)
    }
}

fn header() -> NetworkHeader {
    NetworkHeader {
        spec: spec(),
        config_hash: "abc".to_owned(),
        cycle: 3,
        step: 1200,
        created_by: "test 0".to_owned(),
    }
}

/// A network whose elements are all different, so that a mix-up would show.
fn network() -> NetworkFile {
    let mut next = 0.0_f32;
    let tensors = spec().tensor_shapes().into_iter().map(|(name, shape)| {
        let data = (0..shape.iter().product::<usize>())
            .map(|_| {
                next += 0.001;
                next.sin()
            })
            .collect();
        (name, TensorData { shape, data })
    });
    NetworkFile { tensors: tensors.collect(), header: header() }
}

#[test]
fn round_trip_is_exact_and_bytes_are_stable() {
    let file = network();
    let bytes = file.to_bytes().unwrap();
    let back = NetworkFile::from_bytes(&bytes).unwrap();
    assert_eq!(back, file);
    assert_eq!(back.to_bytes().unwrap(), bytes);
    assert_eq!(back.content_id(), file.content_id());
    assert_eq!(file.content_id().len(), 16);
}

#[test]
fn tensors_have_the_documented_names_and_shapes() {
    let shapes = spec().tensor_shapes();
    assert_eq!(shapes["stem.conv.weight"], [8, 3, 3, 3]);
    assert_eq!(shapes["stem.globals.weight"], [8, 2]);
    assert_eq!(shapes["blocks.1.conv2.bias"], [8]);
    assert_eq!(shapes["blocks.1.pool.weight"], [6, 4]);
    assert!(!shapes.contains_key("blocks.0.pool.weight"));
    assert_eq!(shapes["policy.linear.weight"], [7, 84]);
    assert_eq!(shapes["value.hidden.weight"], [5, 126]);
    assert_eq!(shapes["value.output.weight"], [3, 5]);
    let counted: usize = network().tensors.values().map(|t| t.data.len()).sum();
    assert_eq!(spec().parameters(), counted);
}

#[test]
fn content_id_depends_on_weights_and_header() {
    let file = network();
    let mut weights = file.clone();
    weights.tensors.get_mut("value.output.bias").unwrap().data[1] += 1e-6;
    let mut step = file.clone();
    step.header.step += 1;
    assert_ne!(weights.content_id(), file.content_id());
    assert_ne!(step.content_id(), file.content_id());
}

#[test]
fn every_truncation_is_refused() {
    let bytes = network().to_bytes().unwrap();
    for length in (0..bytes.len()).step_by(37).chain([bytes.len() - 1]) {
        let error = NetworkFile::from_bytes(&bytes[..length]).unwrap_err();
        let said = matches!(error, NetworkError::Truncated { .. } | NetworkError::NotOurs { .. });
        assert!(said, "{length}: {error}");
        if length >= 8 {
            assert!(matches!(error, NetworkError::Truncated { .. }), "{length}: {error}");
        }
    }
}

#[test]
fn every_flipped_byte_is_refused() {
    let bytes = network().to_bytes().unwrap();
    for i in (0..bytes.len()).step_by(11) {
        let mut damaged = bytes.clone();
        damaged[i] ^= 0x10;
        assert!(NetworkFile::from_bytes(&damaged).is_err(), "byte {i} flipped unnoticed");
    }
    let mut last = bytes.clone();
    *last.last_mut().unwrap() ^= 1;
    let error = NetworkFile::from_bytes(&last).unwrap_err();
    assert_eq!(error, NetworkError::HashMismatch { kind: "network".to_owned() });
    assert!(error.to_string().contains("damaged"));
}

#[test]
fn other_files_are_refused_by_name() {
    let kind = |bytes: &[u8]| match NetworkFile::from_bytes(bytes).unwrap_err() {
        NetworkError::NotOurs { reason, .. } => reason,
        other => panic!("{other}"),
    };
    kind(b"PK\x03\x04 and so on, a zip file of some kind");
    let tensors = network().tensors;
    let checkpoint = container::pack("checkpoint", 1, &header(), &tensors).unwrap();
    assert!(kind(&checkpoint).contains("checkpoint"));
    let views: [(&str, safetensors::tensor::TensorView<'_>); 0] = [];
    let foreign =
        safetensors::serialize(views, Some(HashMap::from([("a".to_owned(), "b".to_owned())])));
    assert!(kind(&foreign.unwrap()).contains("another program"));
}

#[test]
fn another_format_is_refused_before_its_header_is_read() {
    let strange = BTreeMap::from([("fields", "of a later version")]);
    let bytes = container::pack("network", 9, &strange, &network().tensors).unwrap();
    let error = NetworkFile::from_bytes(&bytes).unwrap_err();
    assert!(matches!(error, NetworkError::OtherFormat { found: 9, known: 5, .. }), "{error}");
}

/// What is switched off leaves no trace: fields, format and so the hash are as before there were
/// heads.
#[test]
fn heads_are_stated_where_there_are_some() {
    let bare = serde_json::to_string(&spec()).unwrap();
    assert!(!bare.contains("heads") && spec().format() == 1);
    assert_eq!(serde_json::from_str::<NetworkSpec>(&bare).unwrap(), spec());
    let heads = Head::ALL.into_iter().collect();
    let all = NetworkSpec { heads, ..spec() };
    assert_eq!(all.format(), 3);
    let shapes = all.tensor_shapes();
    assert_eq!(shapes["reply.linear.weight"], [7, 84]);
    assert_eq!(shapes["soft_policy.linear.bias"], [7]);
    assert_eq!(shapes["short_term.output.weight"], [9, 5]);
    assert_eq!(shapes["plies_left.output.weight"], [1, 5]);
    assert_eq!(shapes["margin.output.bias"], [1]);
    assert_eq!(shapes["ownership.points.weight"], [3, 8]);
    assert_eq!(shapes["short_term_error.output.weight"], [1, 5]);
    assert_eq!(shapes["optimistic_policy.linear.weight"], [7, 84]);
    assert_eq!(shapes.len(), spec().tensor_shapes().len() + 16);
    let exported = all.exported();
    assert_eq!(
        serde_json::to_value(&exported).unwrap()["heads"],
        serde_json::json!(["margin", "ownership", "short_term_error", "optimistic_policy"])
    );
    assert_eq!(exported.tensor_shapes().len(), spec().tensor_shapes().len() + 8);
    let lengths = Head::ALL.map(|head| all.target_len(head));
    assert_eq!(lengths, [7, 7, 9, 1, 1, 3 * 42, 1, 7]);
}

#[test]
fn tensors_must_be_those_of_the_specification() {
    let refused = |change: &dyn Fn(&mut BTreeMap<String, TensorData>)| {
        let mut tensors = network().tensors;
        change(&mut tensors);
        let bytes = container::pack("network", 1, &header(), &tensors).unwrap();
        let error = NetworkFile::from_bytes(&bytes).unwrap_err();
        assert!(matches!(error, NetworkError::BadTensors { .. }), "{error}");
        error.to_string()
    };
    assert!(
        refused(&|t| drop(t.remove("blocks.1.pool.bias")))
            .contains("blocks.1.pool.bias is missing")
    );
    let extra = TensorData { shape: vec![1], data: vec![0.0] };
    assert!(refused(&|t| drop(t.insert("surplus".to_owned(), extra.clone()))).contains("surplus"));
    let message = refused(&|t| t.get_mut("policy.conv.weight").unwrap().shape = vec![2, 8]);
    assert!(message.contains("policy.conv.weight is [2, 8]"), "{message}");
}

#[test]
fn a_network_fits_its_own_game_and_encoding_only() {
    let file = network();
    file.check_fits(&file.header.spec.game, &file.header.spec.encoding).unwrap();
    let game = file.check_fits("tictactoe", "connect4-v1:6x7").unwrap_err();
    assert!(game.to_string().contains("tictactoe"), "{game}");
    let encoding = file.check_fits(&file.header.spec.game, "connect4-v2:6x7").unwrap_err();
    assert!(matches!(encoding, NetworkError::OtherEncoding { .. }));
}

#[test]
fn impossible_specifications_name_every_fault() {
    let bad = NetworkSpec { channels: 0, height: 99, ..spec() };
    let message = bad.validate().unwrap_err().to_string();
    assert!(message.contains("channels = 0") && message.contains("height = 99"), "{message}");
    assert!(network().to_bytes().is_ok());
    let file = NetworkFile { header: NetworkHeader { spec: bad, ..header() }, ..network() };
    assert!(file.to_bytes().is_err());
}

#[test]
fn squeeze_excitation_and_bottlenecks_have_the_documented_tensors() {
    let nested = NetworkSpec { squeeze_ratio: 4, bottleneck_blocks: 2, ..spec() };
    let shapes = nested.tensor_shapes();
    assert_eq!(shapes["blocks.1.conv_down.weight"], [4, 8, 1, 1]);
    assert_eq!(shapes["blocks.1.conv_up.weight"], [8, 4, 1, 1]);
    assert_eq!(shapes["blocks.0.inner.1.conv2.weight"], [4, 4, 3, 3]);
    assert_eq!(shapes["blocks.1.inner.0.pool.weight"], [3, 2]);
    assert_eq!(shapes["blocks.0.squeeze.weight"], [2, 8]);
    assert_eq!(shapes["blocks.0.excite.bias"], [16]);
    for absent in ["blocks.0.conv1.weight", "blocks.1.inner.1.pool.bias"] {
        assert!(!shapes.contains_key(absent), "{absent}");
    }
}

/// What a network does not have is not in its header, so files of format 1 keep their hash and
/// their id.
#[test]
fn a_network_is_written_in_the_earliest_format_that_can_say_it() {
    let plain = network();
    let text = serde_json::to_string(&plain.header).unwrap();
    assert!(!text.contains("squeeze") && !text.contains("bottleneck"), "{text}");
    // The id that this very network had before there was a second format.
    assert_eq!(plain.content_id(), "32f5de1f4e9b4d8c");
    let bytes = plain.to_bytes().unwrap();
    assert!(container::unpack::<NetworkHeader>("network", 1, &bytes).is_ok());

    let spec = NetworkSpec { squeeze_ratio: 4, bottleneck_blocks: 1, ..spec() };
    let tensors = spec.tensor_shapes().into_iter().map(|(name, shape)| {
        let data = vec![0.5; shape.iter().product()];
        (name, TensorData { shape, data })
    });
    let tensors = tensors.collect();
    let file = NetworkFile { header: NetworkHeader { spec, ..header() }, tensors };
    let bytes = file.to_bytes().unwrap();
    assert_eq!(NetworkFile::from_bytes(&bytes).unwrap(), file);
    let error = container::unpack::<NetworkHeader>("network", 1, &bytes).unwrap_err();
    assert!(matches!(error, NetworkError::OtherFormat { found: 2, known: 1, .. }), "{error}");
}

/// Weights of points do not depend on the board, and only formats that know of them hold them.
#[test]
fn networks_for_any_size_are_marked_and_have_no_board_in_their_shapes() {
    assert!(!serde_json::to_string(&spec()).unwrap().contains("any_size"));
    let sized = |size: usize| NetworkSpec {
        height: size,
        width: size,
        policy_len: size * size + 1,
        any_size: true,
        heads: Head::ALL.into_iter().collect(),
        ..spec()
    };
    assert_eq!(sized(9).format(), 4);
    let shapes = sized(9).tensor_shapes();
    assert_eq!(shapes, sized(19).tensor_shapes());
    assert_eq!(shapes["policy.linear.weight"], [2, 2]);
    assert_eq!(shapes["reply.linear.bias"], [2]);
    assert_eq!(shapes["value.hidden.weight"], [5, 3]);
    assert_eq!(sized(9).target_len(Head::Reply), 82);
    let back: NetworkSpec =
        serde_json::from_str(&serde_json::to_string(&sized(9)).unwrap()).unwrap();
    assert_eq!(back, sized(9));
    for policy_len in [80, 84, 4672] {
        let message = NetworkSpec { policy_len, ..sized(9) }.validate().unwrap_err().to_string();
        assert!(message.contains("81 points"), "{message}");
        NetworkSpec { policy_len, any_size: false, ..sized(9) }.validate().unwrap();
    }
}

#[test]
fn policies_of_planes_have_no_board_in_their_shapes() {
    assert!(!serde_json::to_string(&spec()).unwrap().contains("policy_planes"));
    let area = spec().area();
    let heads = Head::ALL.into_iter().collect();
    let planes = NetworkSpec { policy_planes: 3, policy_len: 3 * area, heads, ..spec() };
    planes.validate().unwrap();
    assert_eq!(planes.format(), 5);
    let shapes = planes.tensor_shapes();
    assert_eq!(shapes["policy.linear.weight"], [3, spec().policy_channels]);
    assert_eq!(shapes["reply.linear.bias"], [3]);
    assert_eq!(shapes["value.hidden.weight"], spec().tensor_shapes()["value.hidden.weight"]);
    assert_eq!(planes.target_len(Head::Reply), 3 * area);
    let wrong = NetworkSpec { policy_len: 3 * area + 1, ..planes.clone() };
    assert!(wrong.validate().unwrap_err().to_string().contains("policy_planes = 3"));
    let huge = NetworkSpec { policy_planes: usize::MAX, ..planes.clone() };
    assert!(huge.validate().is_err());
    let both = NetworkSpec { any_size: true, ..planes };
    assert!(both.validate().unwrap_err().to_string().contains("either"));
}

#[test]
fn bottlenecks_need_channels_to_halve() {
    for (channels, squeeze_ratio, fault) in
        [(1, 0, "a bottleneck needs"), (3, 0, "at least 4 channels"), (8, 9, "squeeze_ratio = 9")]
    {
        let bad = NetworkSpec { channels, squeeze_ratio, bottleneck_blocks: 1, ..spec() };
        let message = bad.validate().unwrap_err().to_string();
        assert!(message.contains(fault), "{message}");
    }
}
