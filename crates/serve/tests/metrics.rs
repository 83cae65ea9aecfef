//! `/metrics`.

use crate::common::serve;

#[test]
fn every_line_is_of_the_exposition_format() {
    let served = serve();
    served.run("seeds/a \"1\"", "tictactoe");
    served.run("b", "connect4");
    std::fs::write(served.folder.path().join("b/log/00000000000000000003.json"), "{").unwrap();
    let answer = served.get("/metrics");
    assert!(answer.head.contains("text/plain; version=0.0.4"), "{}", answer.head);
    let mut typed = Vec::new();
    for line in answer.body.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            typed.push(rest.split(' ').next().unwrap().to_owned());
            continue;
        }
        if line.starts_with('#') {
            continue;
        }
        let (name, rest) = line.split_once('{').unwrap_or_else(|| panic!("{line}"));
        assert!(typed.iter().any(|known| known == name), "{line}");
        let (labels, value) = rest.rsplit_once("} ").unwrap();
        assert!(labels.starts_with("run=\"") && labels.ends_with('"'), "{line}");
        value.parse::<f64>().unwrap();
    }
    let body = &answer.body;
    assert!(body.contains("dagzero_readable{run=\"seeds/a \\\"1\\\"\"} 1\n"), "{body}");
    assert!(body.contains("dagzero_readable{run=\"b\"} 0\n"), "{body}");
    assert!(
        body.contains("dagzero_disk_bytes{run=\"seeds/a \\\"1\\\"\",folder=\"log\"}"),
        "{body}"
    );
}
