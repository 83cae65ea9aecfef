//! A client of Chromium's protocol for tools, over pipes.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dz_testkit::Process;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Time for anything that a page is waited for.
const WAIT: Duration = Duration::from_mins(1);

/// A browser of its own, ended with the value.
pub struct Browser {
    _child: Process,
    out: File,
    input: BufReader<File>,
    number: u64,
    /// Messages that answer nothing, with their session.
    events: Vec<Value>,
    _folder: TempDir,
}

/// A page of a browser.
pub struct Page<'a> {
    browser: &'a mut Browser,
    session: String,
    target: String,
}

impl Browser {
    /// Starts Chromium without a window.
    ///
    /// # Errors
    /// Why the test is skipped: there is no Chromium here.
    pub fn start() -> Result<Self, String> {
        let name = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
            let mut version = Command::new(name);
            version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            version.status().is_ok_and(|status| status.success())
        });
        let name = name.ok_or("there is no chromium on this machine")?;
        let folder = tempfile::tempdir().unwrap();
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            let made = Command::new("mkfifo").arg(&path).status();
            made.is_ok_and(|status| status.success()).then_some(path).ok_or("mkfifo does not work")
        };
        let to = pipe("to")?;
        let from = pipe("from")?;
        // The browser reads from its file 3 and writes to 4.
        let script = "exec \"$1\" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --no-first-run --disable-background-networking --user-data-dir=\"$2\" \
            --remote-debugging-pipe about:blank 3<\"$3\" 4>\"$4\"";
        let child = Command::new("sh")
            .args(["-c", script, "sh", name])
            .arg(folder.path().join("profile"))
            .args([&to, &from])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let child = Process(child);
        let out = OpenOptions::new().write(true).open(&to).map_err(|error| error.to_string())?;
        let input = BufReader::new(File::open(&from).map_err(|error| error.to_string())?);
        let events = Vec::new();
        Ok(Self { _child: child, out, input, number: 0, events, _folder: folder })
    }

    /// A new page of this size.
    pub fn page(&mut self, width: u32, height: u32, dark: bool) -> Page<'_> {
        let made = self.call(None, "Target.createTarget", &json!({"url": "about:blank"}));
        let target = made["targetId"].as_str().unwrap().to_owned();
        let to = json!({"targetId": target, "flatten": true});
        let attached = self.call(None, "Target.attachToTarget", &to);
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let mut page = Page { browser: self, session, target };
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            page.call(domain, &json!({}));
        }
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        page.call("Emulation.setDeviceMetricsOverride", &size);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        page.call("Emulation.setEmulatedMedia", &json!({"features": features}));
        page
    }

    fn call(&mut self, session: Option<&str>, method: &str, params: &Value) -> Value {
        self.number += 1;
        let number = self.number;
        let mut message = json!({"id": number, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.out.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut bytes = Vec::new();
            self.input.read_until(0, &mut bytes).unwrap();
            assert!(bytes.pop() == Some(0), "the browser is gone");
            let answer: Value = serde_json::from_slice(&bytes).unwrap();
            if answer["id"] == number {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.browser.call(None, "Target.closeTarget", &json!({"targetId": self.target}));
        }
    }
}

impl Page<'_> {
    fn call(&mut self, method: &str, params: &Value) -> Value {
        let session = self.session.clone();
        self.browser.call(Some(&session), method, params)
    }

    /// Opens an address and waits until the page is read. Forgets errors and requests.
    pub fn open(&mut self, address: &str) {
        self.browser.events.clear();
        self.call("Page.navigate", &json!({"url": address}));
        self.wait_for(&format!(
            "document.readyState === 'complete' && location.href.split('#')[0] === {}",
            json!(address.split('#').next())
        ));
    }

    /// The value of a script.
    pub fn evaluate(&mut self, script: &str) -> Value {
        let params = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        let found = self.call("Runtime.evaluate", &params);
        assert!(found["exceptionDetails"].is_null(), "{script}: {}", found["exceptionDetails"]);
        found["result"]["value"].clone()
    }

    /// Waits until a script is true.
    pub fn wait_for(&mut self, script: &str) {
        let deadline = Instant::now() + WAIT;
        // A page that is just being left has no value.
        while self.evaluate(&format!("Boolean({script})")) != json!(true) {
            let trouble = "(document.getElementById('trouble') || {}).textContent";
            let is_late = Instant::now() > deadline;
            assert!(
                !is_late,
                "{script} does not come true: {} {:?}",
                self.evaluate(trouble),
                self.errors()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The text of an element.
    pub fn text(&mut self, selector: &str) -> String {
        let script = format!("document.querySelector({}).textContent", json!(selector));
        self.evaluate(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Presses the mouse at a point of the screen.
    pub fn click(&mut self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Presses the mouse in the middle of an element.
    pub fn click_on(&mut self, selector: &str) {
        let script = format!(
            "(() => {{ const at = document.querySelector({});
             at.scrollIntoView({{ block: 'center' }});
             const box = at.getBoundingClientRect();
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        );
        let at = self.evaluate(&script);
        self.click(at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        for kind in ["rawKeyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", &json!({"type": kind, "key": key}));
        }
    }

    /// Errors of scripts, and what the browser writes to the console as errors.
    pub fn errors(&mut self) -> Vec<String> {
        let own = |event: &&Value| event["sessionId"] == self.session.as_str();
        let error = |event: &Value| {
            let params = &event["params"];
            match event["method"].as_str()? {
                "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
                "Log.entryAdded" if params["entry"]["level"] == "error" => {
                    Some(params["entry"].to_string())
                }
                "Runtime.consoleAPICalled" if params["type"] == "error" => {
                    Some(params["args"].to_string())
                }
                _ => None,
            }
        };
        self.browser.events.iter().filter(own).filter_map(error).collect()
    }

    /// The addresses that the page asked for.
    pub fn requests(&mut self) -> Vec<String> {
        let events = self.browser.events.iter();
        let sent = events.filter(|event| event["method"] == "Network.requestWillBeSent");
        let address = |event: &Value| event["params"]["request"]["url"].as_str().map(str::to_owned);
        sent.filter_map(address).collect()
    }
}
