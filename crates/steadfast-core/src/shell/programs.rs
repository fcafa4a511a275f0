//! Which program a simple command runs, through those that only run another one.

use super::Refused;
use super::words::{Word, commands};
use crate::limits;

/// Before a command; the command itself follows.
const BEFORE: &[&str] = &[
    "!", "{", "if", "then", "else", "elif", "while", "until", "do",
];

const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash", "yash",
];

/// They run text or programs in a way that is not read here, or change what later
/// words mean.
const UNREAD: &[&str] = &[
    ".",
    "source",
    "alias",
    "trap",
    "hash",
    "enable",
    "let",
    "declare",
    "typeset",
    "local",
    "bind",
    "complete",
    "compgen",
    "mapfile",
    "readarray",
    "fc",
    "for",
    "case",
    "select",
    "function",
    "coproc",
    "[[",
    "repeat",
    "foreach",
    "fish",
    "csh",
    "tcsh",
    "pwsh",
    "powershell",
    "cmd",
    "wsl",
    "su",
    "runuser",
    "pkexec",
    "run0",
    "systemd-run",
    "chroot",
    "unshare",
    "nsenter",
    "setpriv",
    "capsh",
    "gosu",
    "su-exec",
    "fakeroot",
    "proot",
    "firejail",
    "bwrap",
    "start-stop-daemon",
    "parallel",
    "watch",
    "script",
    "strace",
    "ltrace",
    "gdb",
    "flock",
    "taskset",
    "chrt",
    "numactl",
    "prlimit",
    "setarch",
    "ssh",
    "expect",
    "unbuffer",
    "at",
    "batch",
    "crontab",
    "screen",
    "tmux",
    "entr",
    "caffeinate",
    "dbus-run-session",
    "xvfb-run",
    "rlwrap",
    "chronic",
    "sponge",
    "pipexec",
];

/// They can evaluate a subscript in an argument, and with it a substitution.
const EVALUATING: &[&str] = &[
    "[", "test", "printf", "read", "unset", "export", "readonly", "wait", "getopts",
];

/// A program whose arguments end in the command that it runs. An option that is
/// not listed makes the line unclear.
struct Wrapper {
    name: &'static str,
    /// Options of one letter, without and with a value.
    flags: &'static str,
    valued: &'static str,
    long: &'static [&'static str],
    long_valued: &'static [&'static str],
    /// `NAME=value` may stand before the command.
    assigns: bool,
    /// Arguments before the command.
    leading: usize,
}

const PLAIN: Wrapper = Wrapper {
    name: "",
    flags: "",
    valued: "",
    long: &[],
    long_valued: &[],
    assigns: false,
    leading: 0,
};

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "env",
        flags: "i0v",
        valued: "uC",
        long: &["ignore-environment", "null", "debug"],
        long_valued: &["unset", "chdir"],
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "sudo",
        flags: "nEHkSbPA",
        valued: "ugCDpRT",
        long: &["non-interactive", "preserve-env", "set-home", "stdin"],
        long_valued: &["user", "group"],
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "doas",
        flags: "n",
        valued: "uC",
        ..PLAIN
    },
    Wrapper {
        name: "nohup",
        ..PLAIN
    },
    Wrapper {
        name: "builtin",
        ..PLAIN
    },
    Wrapper {
        name: "busybox",
        ..PLAIN
    },
    Wrapper {
        name: "toybox",
        ..PLAIN
    },
    Wrapper {
        name: "command",
        flags: "pvV",
        ..PLAIN
    },
    Wrapper {
        name: "exec",
        flags: "cl",
        valued: "a",
        ..PLAIN
    },
    Wrapper {
        name: "time",
        flags: "p",
        ..PLAIN
    },
    Wrapper {
        name: "setsid",
        flags: "cfw",
        ..PLAIN
    },
    Wrapper {
        name: "ionice",
        flags: "t",
        valued: "cn",
        ..PLAIN
    },
    Wrapper {
        name: "nice",
        flags: "0123456789",
        valued: "n",
        long_valued: &["adjustment"],
        ..PLAIN
    },
    Wrapper {
        name: "stdbuf",
        valued: "ioe",
        long_valued: &["input", "output", "error"],
        ..PLAIN
    },
    Wrapper {
        name: "timeout",
        flags: "fpv",
        valued: "ks",
        long: &["foreground", "preserve-status", "verbose"],
        long_valued: &["kill-after", "signal"],
        leading: 1,
        ..PLAIN
    },
];

/// As it stands among the others, but what it runs gets more arguments.
const XARGS: Wrapper = Wrapper {
    name: "xargs",
    flags: "0rtx",
    valued: "nPLsdE",
    long: &["null", "no-run-if-empty", "verbose"],
    long_valued: &["max-args", "max-procs", "max-lines", "delimiter"],
    ..PLAIN
};

/// The forbidden programs.
pub(super) struct Deny<'a> {
    pub(super) forbidden: &'a [String],
}

impl Deny<'_> {
    pub(super) fn line(&self, line: &str, depth: usize) -> Result<(), Refused> {
        let mut commands = commands(line, depth)?.into_iter();
        commands.try_for_each(|words| self.command(&words, depth))
    }

    pub(super) fn command(&self, words: &[Word], depth: usize) -> Result<(), Refused> {
        if depth > limits::SHELL_DEPTH_MAX {
            return Err(Refused::unclear("it is nested too deep"));
        }
        let mut words = words;
        while let [first, rest @ ..] = words {
            if first.is_assignment() {
                evaluates(first)?;
            } else if first.quoted || !BEFORE.contains(&first.text.as_str()) {
                break;
            }
            words = rest;
        }
        let Some((first, args)) = words.split_first() else {
            return Ok(());
        };
        let name = self.program(first)?;
        match name.as_str() {
            "eval" => self.eval(args, depth),
            "find" => self.find(args),
            "xargs" => self.appended(XARGS.command(args)?),
            shell if SHELLS.contains(&shell) => self.shell(args, depth),
            unread if UNREAD.contains(&unread) => Err(Refused::unclear(format!(
                "`{unread}` is not looked through"
            ))),
            builtin if EVALUATING.contains(&builtin) => args.iter().try_for_each(evaluates),
            other => match WRAPPERS.iter().find(|wrapper| wrapper.name == other) {
                Some(wrapper) => self.command(wrapper.command(args)?, depth + 1),
                None => Ok(()),
            },
        }
    }

    /// The bare name of the program that a word names, which is not forbidden.
    fn program(&self, word: &Word) -> Result<String, Refused> {
        let mark = ["[", "[[", "}"].contains(&word.text.as_str());
        if (word.open && !mark) || word.text.starts_with('-') {
            return Err(Refused::unclear(
                "the name of a program is filled in later, or an option",
            ));
        }
        let name = bare_name(&word.text);
        if self.forbidden.iter().any(|one| bare_name(one) == name) {
            return Err(Refused::Program(name));
        }
        Ok(name)
    }

    fn eval(&self, args: &[Word], depth: usize) -> Result<(), Refused> {
        let texts: Result<Vec<&str>, Refused> = args.iter().map(known).collect();
        self.line(&texts?.join(" "), depth + 1)
    }

    fn shell(&self, args: &[Word], depth: usize) -> Result<(), Refused> {
        let mut given = false;
        let mut at = 0;
        while let Some(word) = args.get(at) {
            let text = known(word)?;
            if !text.starts_with(['-', '+']) {
                break;
            }
            at += 1;
            match text {
                "--" | "-" => break,
                "--norc" | "--noprofile" | "--login" | "--posix" => continue,
                _ => {}
            }
            let letters = &text[1..];
            let plain = letters.strip_suffix(['o', 'O']);
            let flags = plain.unwrap_or(letters);
            if !flags.chars().all(|one| "abcefhilmnuvxBCEHPT".contains(one)) {
                return Err(Refused::unclear(format!("option `{text}` of a shell")));
            }
            given |= flags.contains('c') && text.starts_with('-');
            if plain.is_some() {
                args.get(at).map(known).transpose()?;
                at += 1;
            }
        }
        match args.get(at) {
            Some(script) if given => self.line(known(script)?, depth + 1),
            _ => Err(Refused::unclear("a shell whose commands stand elsewhere")),
        }
    }

    fn find(&self, args: &[Word]) -> Result<(), Refused> {
        for (at, word) in args.iter().enumerate() {
            if !["-exec", "-execdir", "-ok", "-okdir"].contains(&known(word)?) {
                continue;
            }
            let rest = &args[at + 1..];
            let end = rest
                .iter()
                .position(|one| one.text == ";" || one.text == "+");
            self.appended(&rest[..end.unwrap_or(rest.len())])?;
        }
        Ok(())
    }

    /// A command that gets more arguments, which nobody has seen: it must not be
    /// one that would run them.
    fn appended(&self, words: &[Word]) -> Result<(), Refused> {
        let Some(first) = words.first() else {
            return Ok(());
        };
        let name = self.program(first)?;
        let name = name.as_str();
        let runs = WRAPPERS.iter().any(|wrapper| wrapper.name == name)
            || ["eval", "find", "xargs"].contains(&name)
            || [SHELLS, UNREAD, EVALUATING]
                .iter()
                .any(|all| all.contains(&name));
        if runs || name.contains("{}") {
            return Err(Refused::unclear("arguments of it come from elsewhere"));
        }
        Ok(())
    }
}

impl Wrapper {
    /// The command that is run: what is left after options.
    fn command<'a>(&self, args: &'a [Word]) -> Result<&'a [Word], Refused> {
        let mut at = 0;
        let mut leading = 0;
        let mut options = true;
        while let Some(word) = args.get(at) {
            let assigns = self.assigns && word.text.find('=').is_some_and(|end| end > 0);
            if options && word.text.starts_with('-') {
                at += self.option(known(word)?)?;
                options = word.text != "--";
            } else if assigns {
                options = false;
                at += 1;
            } else if leading < self.leading {
                options = false;
                leading += 1;
                at += 1;
            } else {
                break;
            }
        }
        // What is filled in later could be nothing, or several words.
        let before = &args[..at.min(args.len())];
        before.iter().try_for_each(|word| known(word).map(drop))?;
        Ok(args.get(at..).unwrap_or_default())
    }

    /// How many words an option takes.
    fn option(&self, text: &str) -> Result<usize, Refused> {
        let unknown = || Refused::unclear(format!("option `{text}` of `{}`", self.name));
        if text == "--" || (text == "-" && self.assigns) {
            return Ok(1);
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let takes = self.long_valued.contains(&name);
            return match value {
                Some(_) if takes => Ok(1),
                None if takes => Ok(2),
                None if self.long.contains(&name) => Ok(1),
                _ => Err(unknown()),
            };
        }
        let letters = text.strip_prefix('-').filter(|rest| !rest.is_empty());
        let letters = letters.ok_or_else(unknown)?;
        for (at, letter) in letters.char_indices() {
            if self.valued.contains(letter) {
                let attached = at + letter.len_utf8() < letters.len();
                return Ok(if attached { 1 } else { 2 });
            }
            if !self.flags.contains(letter) {
                return Err(unknown());
            }
        }
        Ok(1)
    }
}

/// The last part of a path, without case and `.exe`.
fn bare_name(path: &str) -> String {
    let name = path.rsplit('/').find(|part| !part.is_empty());
    let name = name.unwrap_or(path).to_ascii_lowercase();
    name.strip_suffix(".exe")
        .map_or(name.clone(), str::to_owned)
}

fn known(word: &Word) -> Result<&str, Refused> {
    if word.open {
        return Err(Refused::unclear("an argument is filled in later"));
    }
    Ok(&word.text)
}

fn evaluates(word: &Word) -> Result<(), Refused> {
    if word.text.contains("$(") || word.text.contains('`') {
        return Err(Refused::unclear("a quoted substitution may be evaluated"));
    }
    Ok(())
}
