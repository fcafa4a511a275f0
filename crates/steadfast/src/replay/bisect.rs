//! The first point at which an outcome turns, by halving.
//!
//! The outcome must be monotone: good up to some point, bad from there on. Both
//! ends are tried first, since a search between two ends of the same outcome
//! would name a point all the same. Of `n` points that makes at most
//! `⌈log₂ n⌉ + 2` tries.

use std::future::Future;

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// The first bad point, and the number of tries.
    At { point: usize, tries: u32 },
    /// The first point is bad already.
    NeverGood,
    /// The last point is still good.
    NeverBad,
}

/// Searches the points `0..points`. `probe` says whether the outcome is good at a
/// point; what it cannot say ends the search.
///
/// # Errors
///
/// What `probe` reports.
pub async fn bisect<E, F, Fut>(points: usize, mut probe: F) -> Result<Turned, E>
where
    F: FnMut(usize) -> Fut,
    Fut: Future<Output = Result<bool, E>>,
{
    if points == 0 || !probe(0).await? {
        return Ok(Turned::NeverGood);
    }
    let mut tries = 1;
    let (mut good, mut bad) = (0, points - 1);
    if bad == 0 {
        return Ok(Turned::NeverBad);
    }
    tries += 1;
    if probe(bad).await? {
        return Ok(Turned::NeverBad);
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        tries += 1;
        if probe(middle).await? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(Turned::At { point: bad, tries })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Show 4: planted defects in 1,000 synthetic runs with a monotone outcome.
    #[tokio::test]
    async fn planted_defects_are_found_in_log_n_tries() {
        let mut seed = 1u64;
        for _ in 0..1_000 {
            // SplitMix64: the same runs each time.
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z ^= z >> 27;
            let points = 2 + usize::try_from(z % 5_000).unwrap();
            let planted = 1 + usize::try_from((z >> 32) % (points as u64 - 1)).unwrap();
            let most = usize::BITS - (points - 1).leading_zeros() + 2;
            let found = bisect(points, move |at| {
                std::future::ready(Ok::<_, ()>(at < planted))
            })
            .await
            .unwrap();
            match found {
                Turned::At { point, tries } => {
                    assert_eq!(point, planted);
                    assert!(tries <= most, "{tries} tries for {points}, at most {most}");
                }
                other => panic!("{other:?} of {points}, planted at {planted}"),
            }
        }
    }

    #[tokio::test]
    async fn ends_of_the_same_outcome_name_no_point() {
        let always = |outcome: bool| bisect(9, move |_| std::future::ready(Ok::<_, ()>(outcome)));
        assert_eq!(always(true).await, Ok(Turned::NeverBad));
        assert_eq!(always(false).await, Ok(Turned::NeverGood));
    }
}
