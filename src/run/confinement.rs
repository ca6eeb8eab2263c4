//! What keeps a submission's processes from doing harm, layer by layer, and what of it is in force.

use std::fmt;
use std::path::PathBuf;

/// How closely submissions are to be confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Isolation {
    /// What every system offers: limits, and a folder, an environment and pipes of a run's own.
    #[default]
    Limits,
    /// All layers that the system has and that cost little.
    Sandbox,
    /// Namespaces and a group of processes besides, where the system lets a user make them. Each run is a process of its
    /// own then.
    Strong,
}

/// What has to be in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Required {
    /// Nothing: the program runs with what can be had.
    #[default]
    Nothing,
    /// Another user than that of `check`, who owns nothing and can be kept out by the modes of files.
    User,
    /// Landlock and seccomp, whoever the user is: that is a matter of who started `check`.
    Sandbox,
    /// Namespaces and a group of processes besides.
    Strong,
}

impl Required {
    /// What is less than this among some layers.
    pub(super) fn short_of(self, layers: &[Layer]) -> Option<Layer> {
        let asked = |layer: &&Layer| match (self, layer.name) {
            (Self::Nothing, _) => false,
            (Self::User, name) => name == USER,
            (Self::Sandbox | Self::Strong, USER) => false,
            (Self::Sandbox, name) => name != NAMESPACES && name != CGROUP,
            (Self::Strong, _) => true,
        };
        if self == Self::User && !layers.iter().any(|layer| layer.name == USER) {
            return Some(Layer::new(USER, State::Unavailable, "this system has no such layer"));
        }
        layers.iter().filter(asked).find(|layer| layer.state != State::Enforced).cloned()
    }
}

/// The names of the layers in reports.
pub(super) const LIMITS: &str = "limits";
pub(super) const USER: &str = "user";
pub(super) const LANDLOCK: &str = "landlock";
pub(super) const SECCOMP: &str = "seccomp";
pub(super) const NAMESPACES: &str = "namespaces";
pub(super) const CGROUP: &str = "cgroup";

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Confinement {
    /// How closely.
    pub isolation: Isolation,
    /// What has to be in force; a program that can't be confined so closely is not run.
    pub required: Required,
    /// The program that confines itself and then becomes the submission: one whose `main` begins with
    /// [`launch_confined`](super::launch_confined), as that of `check` does. Without it there are limits only.
    pub launcher: Option<PathBuf>,
    /// Whether a Python program may start processes; a command always may.
    pub allow_subprocess: bool,
    /// Whether a program may use the network.
    pub allow_network: bool,
}

/// One layer, as it was for a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// `limits`, `user`, `landlock`, `seccomp`, `namespaces` or `cgroup`.
    pub name: &'static str,
    /// Whether it holds.
    pub state: State,
    /// What is missing, and why; empty where nothing is.
    pub why: String,
}

/// Whether a layer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Whole.
    Enforced,
    /// In part.
    Partly,
    /// Not at all: the system has no such thing.
    Unavailable,
    /// Not at all: it was not asked for.
    Off,
}

impl State {
    /// The name in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Partly => "partly",
            Self::Unavailable => "unavailable",
            Self::Off => "off",
        }
    }
}

impl Layer {
    pub(super) fn new(name: &'static str, state: State, why: impl Into<String>) -> Self {
        Self { name, state, why: why.into() }
    }

    /// What holds on every system.
    pub(super) fn limits() -> Self {
        if cfg!(target_os = "linux") {
            Self::new(LIMITS, State::Enforced, "")
        } else if cfg!(unix) {
            Self::new(LIMITS, State::Partly, "memory of commands is not watched on this system")
        } else {
            Self::new(LIMITS, State::Partly, "memory and processes in the background are not watched on this system")
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.state.id())?;
        if self.why.is_empty() { Ok(()) } else { write!(f, " ({})", self.why) }
    }
}
