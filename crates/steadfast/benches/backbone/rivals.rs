//! Rivals: pieces of work that are timed in turn, so that their ratio does not
//! depend on what else the machine was doing.

use std::fmt;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};

use crate::scene::sized;

/// Does its work once, with its own preparation, and gives the time of the work.
pub(crate) struct Rival<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> Duration + 'a>,
}

impl<'a> Rival<'a> {
    pub(crate) fn new(name: &'static str, run: impl FnMut() -> Duration + 'a) -> Rival<'a> {
        let run = Box::new(run);
        Rival { name, run }
    }
}

/// The times of all rounds, by rival.
pub(crate) struct Rounds {
    names: Vec<&'static str>,
    times: Vec<Vec<Duration>>,
    elements: u64,
}

/// The ratio of two rivals over the rounds.
pub(crate) struct Ratio {
    pub(crate) median: f64,
    low: f64,
    high: f64,
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ratio { median, low, high } = self;
        write!(f, "{median:.2}x [{low:.2}-{high:.2}]")
    }
}

/// Gives each rival to criterion, then runs all of them in turn for the ratios.
/// `elements` is what one run does of the thing that is counted.
pub(crate) fn compare(
    criterion: &mut Criterion,
    group: &str,
    elements: u64,
    mut rivals: Vec<Rival<'_>>,
) -> Rounds {
    let mut shown = criterion.benchmark_group(group);
    shown
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(sized(500, 50)))
        .measurement_time(Duration::from_millis(sized(3_000, 200)))
        .throughput(Throughput::Elements(elements));
    for rival in &mut rivals {
        shown.bench_function(BenchmarkId::from_parameter(rival.name), |bencher| {
            bencher.iter_custom(|times| (0..times).map(|_| (rival.run)()).sum());
        });
    }
    shown.finish();

    let mut times = vec![Vec::new(); rivals.len()];
    for round in 0..sized(15, 5) as usize {
        // Each round starts with another rival: none always follows the same one.
        for turn in 0..rivals.len() {
            let at = (round + turn) % rivals.len();
            times[at].push((rivals[at].run)());
        }
    }
    Rounds {
        names: rivals.iter().map(|rival| rival.name).collect(),
        times,
        elements,
    }
}

impl Rounds {
    /// How much longer the first takes than the second.
    pub(crate) fn ratio(&self, name: &str, base: &str) -> Ratio {
        let pairs = self.of(name).iter().zip(self.of(base));
        let mut ratios: Vec<f64> = pairs
            .map(|(one, base)| one.as_secs_f64() / base.as_secs_f64())
            .collect();
        ratios.sort_by(f64::total_cmp);
        Ratio {
            median: ratios[ratios.len() / 2],
            low: ratios[0],
            high: ratios[ratios.len() - 1],
        }
    }

    /// The median time of one run.
    pub(crate) fn median(&self, name: &str) -> Duration {
        let mut times = self.of(name).to_vec();
        times.sort();
        times[times.len() / 2]
    }

    /// The median time of one element, in microseconds.
    pub(crate) fn micros(&self, name: &str) -> f64 {
        self.median(name).as_secs_f64() * 1e6 / self.elements as f64
    }

    fn of(&self, name: &str) -> &[Duration] {
        let at = self.names.iter().position(|one| *one == name);
        &self.times[at.expect("a group asks for its own rivals")]
    }
}
