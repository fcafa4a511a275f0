//! The process group of a command, ended as a whole.
//!
//! A program may have started others; killing only the first would leave them
//! at work after the runtime has recorded the call as over. A process that
//! left the group on purpose (`setsid`) is out of reach.

use tokio::process::{Child, Command};

/// Asks for a group of its own, so that a kill reaches the command's children
/// and nothing else.
pub(in crate::skill) fn apart(command: &mut Command) {
    #[cfg(unix)]
    command.process_group(0);
    command.kill_on_drop(true);
}

/// Kills the group when dropped, unless it was released: the future of a call
/// may be abandoned at any point.
#[derive(Debug)]
pub(in crate::skill) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    pub(in crate::skill) fn of(child: &Child) -> Group {
        #[cfg(unix)]
        return Group {
            leader: child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(rustix::process::Pid::from_raw),
        };
        #[cfg(not(unix))]
        {
            let _ = child;
            Group {}
        }
    }

    /// Kills what is left of the group, once.
    pub(super) fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader.take() {
            // An error means that the group is already gone.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    /// The command ended on its own and nothing of it holds on.
    pub(super) fn release(&mut self) {
        #[cfg(unix)]
        {
            self.leader = None;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
