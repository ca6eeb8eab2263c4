//! A browser as a WebDriver drives it: <https://www.w3.org/TR/webdriver2/>, with the extensions of ChromeDriver.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A running `chromedriver`.
pub struct Driver {
    process: Child,
    address: String,
    /// Closed, it would end what writes into it.
    _said: BufReader<ChildStdout>,
}

impl Driver {
    /// Starts it; none where there is none.
    pub fn start() -> Option<Driver> {
        let mut process =
            Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let mut said = BufReader::new(process.stdout.take()?);
        let told = said.by_ref().lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.rsplit_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let port: u16 = told.expect("chromedriver says on which port it is");
        Some(Driver { process, address: format!("http://127.0.0.1:{port}"), _said: said })
    }

    /// Opens a browser that has nothing of a person's own, and lets it see no network by itself.
    pub fn open(&self) -> Browser {
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1400,1000",
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let answer = ask(minreq::post(format!("{}/session", self.address)).with_body(wanted.to_string()));
        let id = answer["sessionId"].as_str().unwrap_or_else(|| panic!("a browser starts: {answer}"));
        Browser { session: format!("{}/session/{id}", self.address) }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A window of a browser.
pub struct Browser {
    session: String,
}

impl Browser {
    /// Opens a file and waits until it is there.
    pub fn show(&self, file: &Path) {
        self.visit(&address(file));
    }

    pub fn visit(&self, url: &str) {
        self.post("url", json!({"url": url}));
    }

    /// What an expression of the page's own language comes to.
    pub fn tell(&self, expression: &str) -> Value {
        self.post("execute/sync", json!({"script": format!("return {expression}"), "args": []}))
    }

    pub fn number(&self, expression: &str) -> f64 {
        self.tell(expression).as_f64().unwrap_or_else(|| panic!("{expression} is a number"))
    }

    pub fn text(&self, expression: &str) -> String {
        self.tell(expression).as_str().unwrap_or_else(|| panic!("{expression} is a text")).to_owned()
    }

    pub fn is(&self, expression: &str) -> bool {
        self.tell(expression) == Value::Bool(true)
    }

    /// Clicks on what a person would have to see there.
    pub fn click(&self, selector: &str) {
        let element = self.find(selector);
        self.post(&format!("element/{element}/click"), json!({}));
    }

    /// Types into something.
    pub fn type_into(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.post(&format!("element/{element}/value"), json!({"text": text}));
    }

    /// Presses a key wherever the focus is.
    pub fn press(&self, key: &str) {
        let key = match key {
            "Tab" => "\u{e004}",
            "Enter" => "\u{e007}",
            "Space" => " ",
            "Right" => "\u{e014}",
            key => key,
        };
        let strokes = [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        self.post("actions", json!({"actions": [{"type": "key", "id": "keys", "actions": strokes}]}));
    }

    /// The names that a screen reader gives to all of these.
    pub fn labels(&self, selector: &str) -> Vec<String> {
        let found = self.post("elements", json!({"using": "css selector", "value": selector}));
        let elements = found.as_array().cloned().unwrap_or_default();
        let label = |element: &Value| self.get(&format!("element/{}/computedlabel", id(element)));
        elements.iter().map(|element| label(element).as_str().unwrap_or_default().to_owned()).collect()
    }

    /// A command of the protocol beneath.
    pub fn command(&self, name: &str, parameters: Value) -> Value {
        self.post("goog/cdp/execute", json!({"cmd": name, "params": parameters}))
    }

    /// Makes the page one of a person who likes it dark, or light.
    pub fn scheme(&self, name: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": name});
        self.command("Emulation.setEmulatedMedia", json!({"features": [feature]}));
    }

    pub fn resize(&self, width: usize, height: usize) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.command("Emulation.setDeviceMetricsOverride", size);
    }

    /// Makes the window what it was when it was opened.
    pub fn forget(&self) {
        self.command("Emulation.clearDeviceMetricsOverride", json!({}));
        self.command("Emulation.setEmulatedMedia", json!({"media": "", "features": []}));
        self.command("Emulation.setScriptExecutionDisabled", json!({"value": false}));
        self.visit("about:blank");
        self.requests();
    }

    /// Everything in the console since the last time.
    pub fn console(&self) -> Vec<String> {
        self.log("browser").iter().map(|entry| entry["message"].to_string()).collect()
    }

    /// All that was asked for by the pages since the last time.
    pub fn requests(&self) -> Vec<String> {
        let entries = self.log("performance").into_iter();
        let events = entries.filter_map(|entry| serde_json::from_str::<Value>(entry["message"].as_str()?).ok());
        let requests = events.filter(|event| event["message"]["method"] == "Network.requestWillBeSent");
        requests.map(|event| event["message"]["params"]["request"]["url"].as_str().unwrap_or("?").to_owned()).collect()
    }

    /// Whether the page has put up a dialog.
    pub fn has_dialog(&self) -> bool {
        minreq::get(format!("{}/alert/text", self.session)).send().is_ok_and(|answer| answer.status_code == 200)
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        self.post("se/log", json!({"type": kind})).as_array().cloned().unwrap_or_default()
    }

    fn find(&self, selector: &str) -> String {
        id(&self.post("element", json!({"using": "css selector", "value": selector})))
    }

    fn post(&self, command: &str, body: Value) -> Value {
        ask(minreq::post(format!("{}/{command}", self.session)).with_body(body.to_string()))
    }

    fn get(&self, command: &str) -> Value {
        ask(minreq::get(format!("{}/{command}", self.session)))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = minreq::delete(&self.session).send();
    }
}

/// A file as an address.
pub fn address(file: &Path) -> String {
    let path = file.display().to_string().replace('\\', "/");
    format!("file://{}{path}", if path.starts_with('/') { "" } else { "/" })
}

fn id(element: &Value) -> String {
    let id = element.as_object().and_then(|object| object.values().next()?.as_str());
    id.unwrap_or_else(|| panic!("an element is found: {element}")).to_owned()
}

fn ask(request: minreq::Request) -> Value {
    let answer = request.with_timeout(60).send().unwrap_or_else(|error| panic!("the driver answers: {error}"));
    let text = answer.as_str().unwrap_or_default();
    assert_eq!(answer.status_code, 200, "{text}");
    let mut value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    value["value"].take()
}
