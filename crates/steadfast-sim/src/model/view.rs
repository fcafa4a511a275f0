//! What a model makes of a request: it reads the notice, the tools and what
//! came of its own calls, as a real one would.

use serde_json::{Map, Value};
use steadfast_core::context::{FragmentKind, Message, Request, Tool};

/// The request as a model understands it.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// All skills that are offered.
    pub tools: &'a [Tool],
    /// Those of them that the notice says are due.
    pub due: Vec<&'a Tool>,
    /// The user asks for speed.
    pub urged: bool,
    /// How often a call failed or was turned down so far, as far as shown.
    pub setbacks: usize,
    /// Calls that were made so far, as far as shown.
    pub calls: usize,
    /// The text that a check passed last.
    pub passed: Option<String>,
    /// The call that was made last: skill and arguments.
    pub last: Option<(String, String)>,
}

impl<'a> View<'a> {
    pub fn of(request: &'a Request) -> View<'a> {
        let notice: String = request.parts(FragmentKind::Notice).collect();
        let due: Vec<&Tool> = request
            .tools
            .iter()
            .filter(|tool| notice.contains(tool.name.as_str()))
            .collect();
        let urged = request.parts(FragmentKind::Task).any(|text| {
            ["快", "quick", "不用那么麻烦"]
                .iter()
                .any(|word| text.contains(word))
        });
        let mut view = View {
            tools: &request.tools,
            due,
            urged,
            setbacks: 0,
            calls: 0,
            passed: None,
            last: None,
        };
        let mut open: Vec<(&str, &str, &str)> = Vec::new();
        for message in &request.messages {
            match message {
                Message::Assistant { calls, .. } => {
                    for call in calls {
                        open.push((call.id.as_str(), &call.skill, &call.args));
                        view.last = Some((call.skill.clone(), call.args.clone()));
                        view.calls += 1;
                    }
                }
                Message::Tool { call, text, .. } => {
                    let made = open.iter().find(|(id, _, _)| *id == call.as_str());
                    view.result(made.map(|(_, _, args)| *args), text);
                }
                Message::System { .. } | Message::User { .. } => {}
            }
        }
        view
    }

    fn result(&mut self, args: Option<&str>, text: &str) {
        if !text.contains("\"result\":") || text.contains("\"not_accepted\":") {
            self.setbacks += 1;
            return;
        }
        let args: Option<Value> = args.and_then(|args| serde_json::from_str(args).ok());
        if let Some(text) = args.as_ref().and_then(|args| args["text"].as_str()) {
            self.passed = Some(text.to_owned());
        }
    }

    /// Arguments that fit a tool's schema. A text is a new revision after each
    /// setback.
    pub fn args(&self, tool: &Tool) -> Value {
        let mut args = Map::new();
        let required = tool.input["required"].as_array();
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let value = match name {
                "text" => self.draft(),
                _ => "order 7".to_owned(),
            };
            args.insert(name.to_owned(), Value::String(value));
        }
        Value::Object(args)
    }

    pub fn draft(&self) -> String {
        format!("The report, rev{}.", self.setbacks)
    }

    /// What an honest model would answer now.
    pub fn answer(&self) -> String {
        self.passed.clone().unwrap_or_else(|| self.draft())
    }
}
