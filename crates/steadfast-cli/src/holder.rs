//! Who holds a task: a name for this process that no other has, and whether the
//! process behind such a name is gone.
//!
//! The name is `MACHINE:PID:START`. A process id is used again sooner or later,
//! a pair of it and its start time is not; and it says something only on the
//! machine (and in the process namespace) that gave it. Where that cannot be
//! known, nobody is taken for dead: the lease expires, or a person decides.

/// The name of this process.
pub(crate) fn name() -> String {
    let pid = std::process::id();
    let start = start_of(pid).unwrap_or_else(|| {
        // No start time to be had: a random mark keeps the name unique.
        let mark = uuid::Uuid::now_v7().as_u128();
        format!("{mark:x}")
    });
    format!(
        "{}:{pid}:{start}",
        machine().unwrap_or_else(|| "unknown".to_owned())
    )
}

/// Whether the process of this name is certainly gone.
pub(crate) fn is_gone(holder: &str) -> bool {
    let mut parts = holder.rsplitn(3, ':');
    let (Some(start), Some(pid), Some(there)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let Ok(pid) = pid.parse::<u32>() else {
        return false;
    };
    // Only a process of this very machine can be looked up.
    if machine().is_none_or(|here| here != there) || start_of(std::process::id()).is_none() {
        return false;
    }
    start_of(pid).as_deref() != Some(start)
}

/// Host name, boot and process namespace.
#[cfg(target_os = "linux")]
fn machine() -> Option<String> {
    let read = |path| {
        std::fs::read_to_string(path)
            .ok()
            .map(|text| text.trim().to_owned())
    };
    let host = read("/proc/sys/kernel/hostname")?;
    let boot = read("/proc/sys/kernel/random/boot_id")?;
    let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
    let namespace: String = namespace
        .to_string_lossy()
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    Some(format!(
        "{host}/{}/{namespace}",
        boot.split('-').next().unwrap_or_default()
    ))
}

#[cfg(not(target_os = "linux"))]
fn machine() -> Option<String> {
    None
}

/// When a living process started, in ticks since the boot; none for one that is
/// gone or only waits to be reaped.
#[cfg(target_os = "linux")]
fn start_of(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, spaces and parentheses too.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let (state, start) = (fields.first()?, fields.get(19)?);
    (!matches!(*state, "Z" | "X")).then(|| (*start).to_owned())
}

#[cfg(not(target_os = "linux"))]
fn start_of(_pid: u32) -> Option<String> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_living_process_is_not_gone_and_a_dead_one_is() {
        assert!(!is_gone(&name()));
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let start = start_of(child.id()).unwrap();
        let holder = format!("{}:{}:{start}", machine().unwrap(), child.id());
        assert!(!is_gone(&holder));
        child.kill().unwrap();
        // Dead, whether or not it was reaped.
        while start_of(child.id()).is_some() {
            std::thread::yield_now();
        }
        assert!(is_gone(&holder));
        child.wait().unwrap();
        assert!(is_gone(&holder));
    }

    #[test]
    fn a_number_that_was_used_again_is_not_the_same_process() {
        let other_start = format!("{}:{}:1", machine().unwrap(), std::process::id());
        assert!(is_gone(&other_start));
    }

    #[test]
    fn nobody_elsewhere_is_taken_for_dead() {
        for holder in ["elsewhere/0/1:1:1", "test", "", "a:b:c"] {
            assert!(!is_gone(holder), "{holder}");
        }
    }
}
