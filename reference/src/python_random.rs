//! The numbers that Python's `random` gives for a seed, draw for draw, so that the reference rolls the dice and shuffles
//! the deck exactly as an honest program does.
//!
//! The streams are those of CPython 3.8 to 3.13, which agree. Only seeds that are whole numbers are covered: the games
//! know no others. How many words of the generator a draw uses up is as much a part of it as its result, since every later
//! draw depends on it.
//!
//! ```
//! use reference::python_random::PythonRandom;
//!
//! let mut random = PythonRandom::new(&4.into());
//! let dice: Vec<i64> = (0..6).map(|_| random.randrange(1, 7)).collect();
//! assert_eq!(dice, [2, 3, 1, 6, 4, 4]);
//! ```

use std::collections::HashSet;

use num_bigint::{BigInt, BigUint};
use rand_mt::Mt;

/// Python's `random.Random`, seeded with a whole number.
///
/// Its methods have Python's names and arguments. Where Python raises `ValueError` or `IndexError` for an empty range or a
/// sample that is too large, they panic: in the games these arguments never come from what somebody typed.
#[derive(Clone, Debug)]
pub struct PythonRandom {
    twister: Mt,
}

impl PythonRandom {
    /// What `random.seed(seed)` does. The sign does not count: -4 gives the stream of 4.
    pub fn new(seed: &BigInt) -> Self {
        let mut key = seed.magnitude().to_u32_digits();
        if key.is_empty() {
            // Python's key for 0 is one word, and an empty key would give another stream.
            key.push(0);
        }
        Self { twister: twister(&key) }
    }

    /// `random()`: a fraction of at least 0 and below 1, with 53 random bits.
    pub fn random(&mut self) -> f64 {
        let high = self.twister.next_u32() >> 5;
        let low = self.twister.next_u32() >> 6;
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// `getrandbits(bits)`: a number of that many random bits. No bits give 0 and use nothing up.
    pub fn getrandbits(&mut self, bits: u64) -> BigUint {
        BigUint::new(self.words(bits).collect())
    }

    /// `_randbelow(n)`: a number of at least 0 and below `n`, which all other draws of whole numbers rest on.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn randbelow(&mut self, n: u64) -> u64 {
        // Below a number that fits u64 is a number that fits u64.
        self.below(n.into()) as u64
    }

    /// [`randbelow`](Self::randbelow) for numbers of any size.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn randbelow_big(&mut self, n: &BigUint) -> BigUint {
        assert!(n.bits() > 0, "a number below 0 was asked for");
        loop {
            let drawn = self.getrandbits(n.bits());
            if drawn < *n {
                return drawn;
            }
        }
    }

    /// `randrange(start, stop)`: a number of at least `start` and below `stop`.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn randrange(&mut self, start: i64, stop: i64) -> i64 {
        self.randrange_step(start, stop, 1)
    }

    /// `randrange(start, stop, step)`: one of `start`, `start + step`, … short of `stop`; `step` may be negative.
    ///
    /// # Panics
    /// If there is no such number, or `step` is 0.
    pub fn randrange_step(&mut self, start: i64, stop: i64, step: i64) -> i64 {
        self.one_of(start.into(), stop.into(), step.into())
    }

    /// `randint(low, high)`: a number from `low` to `high`, both included.
    ///
    /// # Panics
    /// If `high` is less than `low`.
    pub fn randint(&mut self, low: i64, high: i64) -> i64 {
        self.one_of(low.into(), i128::from(high) + 1, 1)
    }

    /// `choice(sequence)`: one of its elements.
    ///
    /// # Panics
    /// If the sequence is empty.
    pub fn choice<'a, T>(&mut self, sequence: &'a [T]) -> &'a T {
        assert!(!sequence.is_empty(), "a choice from an empty sequence");
        &sequence[self.index_below(sequence.len())]
    }

    /// `sample(population, k)`: `k` elements from different places, in the order in which they were drawn.
    ///
    /// # Panics
    /// If the population has fewer than `k` elements.
    pub fn sample<T: Clone>(&mut self, population: &[T], k: usize) -> Vec<T> {
        let n = population.len();
        assert!(k <= n, "a sample of {k} from {n} elements");
        let places = if n <= largest_pool(k) { self.sample_from_pool(n, k) } else { self.sample_with_retries(n, k) };
        places.into_iter().map(|place| population[place].clone()).collect()
    }

    /// `shuffle(sequence)`: puts the elements in a random order, from the last place to the second.
    pub fn shuffle<T>(&mut self, sequence: &mut [T]) {
        for last in (1..sequence.len()).rev() {
            sequence.swap(last, self.index_below(last + 1));
        }
    }

    /// `k` of `n` places by taking each from those that are left; the last one left moves into the gap.
    fn sample_from_pool(&mut self, n: usize, k: usize) -> Vec<usize> {
        let mut pool: Vec<usize> = (0..n).collect();
        (0..k).map(|_| pool.swap_remove(self.index_below(pool.len()))).collect()
    }

    /// `k` of `n` places by drawing again whenever a place comes up a second time.
    fn sample_with_retries(&mut self, n: usize, k: usize) -> Vec<usize> {
        let mut taken = HashSet::new();
        let mut places = Vec::with_capacity(k);
        while places.len() < k {
            let place = self.index_below(n);
            if taken.insert(place) {
                places.push(place);
            }
        }
        places
    }

    /// One of `start`, `start + step`, … short of `stop`, each of them within i64. `i128` holds how many there are.
    fn one_of(&mut self, start: i128, stop: i128, step: i128) -> i64 {
        assert!(step != 0, "a range with a step of 0");
        let count = (stop - start + step - step.signum()) / step;
        assert!(count > 0, "an empty range from {start} to {stop} by {step}");
        (start + step * self.below(count.unsigned_abs()) as i128) as i64
    }

    fn index_below(&mut self, n: usize) -> usize {
        self.below(n as u128) as usize
    }

    /// Draws as many bits as `n` has until they make a number below it. Python does so for powers of two as well, where
    /// one bit fewer would do and no draw would be lost.
    fn below(&mut self, n: u128) -> u128 {
        assert!(n > 0, "a number below 0 was asked for");
        let bits = u64::from(u128::BITS - n.leading_zeros());
        loop {
            let drawn =
                self.words(bits).zip((0..).step_by(32)).fold(0, |sum, (word, place)| sum | u128::from(word) << place);
            if drawn < n {
                return drawn;
            }
        }
    }

    /// So many random bits in words of 32, least first. Of a word that is not needed in full the upper bits count.
    fn words(&mut self, bits: u64) -> impl Iterator<Item = u32> {
        (0..bits.div_ceil(32)).map(move |word| {
            let missing = bits - 32 * word;
            self.twister.next_u32() >> 32_u64.saturating_sub(missing)
        })
    }
}

/// The generator for a key of one word or more: `init_by_array` of MT19937's authors.
///
/// `Mt::new_with_key` stops after 624 words of a key, where Python, as the authors do, mixes in all of them. A generator's
/// last 624 results tell its state, so the state that the key gives is handed over in that way.
fn twister(key: &[u32]) -> Mt {
    let mut state = [19_650_218_u32; 624];
    for (number, place) in (1..).zip(1..state.len()) {
        let before = state[place - 1];
        state[place] = (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(number);
    }

    let mut place = 1;
    let mut mix = |factor: u32, added: &dyn Fn(u32) -> u32| {
        let before = state[place - 1];
        let mixed = (before ^ (before >> 30)).wrapping_mul(factor);
        state[place] = (state[place] ^ mixed).wrapping_add(added(place as u32));
        place += 1;
        if place == state.len() {
            state[0] = state[place - 1];
            place = 1;
        }
    };
    let words = (0_u32..).zip(key).cycle();
    for (number, word) in words.take(key.len().max(624)) {
        mix(1_664_525, &|_| word.wrapping_add(number));
    }
    for _ in 1..624 {
        mix(1_566_083_941, &u32::wrapping_neg);
    }
    state[0] = 1 << 31;

    Mt::from(state.map(tempered))
}

/// The result that MT19937 gives for one word of its state.
fn tempered(mut word: u32) -> u32 {
    word ^= word >> 11;
    word ^= (word << 7) & 0x9D2C_5680;
    word ^= (word << 15) & 0xEFC6_0000;
    word ^ (word >> 18)
}

/// The largest population from which `sample` takes `k` elements out of a pool. From a larger one it draws places and
/// remembers them, as Python reckons that a set of `k` then takes less room than a list of all.
fn largest_pool(k: usize) -> usize {
    let mut table = 0;
    if k > 5 {
        table = 1;
        while table < 3 * k {
            table *= 4;
        }
    }
    21 + table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeded(seed: impl Into<BigInt>) -> PythonRandom {
        PythonRandom::new(&seed.into())
    }

    #[test]
    fn a_deck_of_sixty_cards_is_shuffled_as_python_does() {
        let mut deck: Vec<u32> = (1..=60).collect();
        seeded(4).shuffle(&mut deck);
        assert_eq!(
            deck,
            [
                29, 48, 46, 50, 23, 40, 44, 57, 55, 27, 1, 52, 30, 38, 37, 9, 60, 25, 53, 8, 49, 45, 22, 33, 32, 3, 41,
                43, 28, 21, 54, 59, 11, 13, 42, 39, 51, 14, 17, 58, 12, 18, 24, 35, 34, 15, 4, 19, 36, 56, 2, 5, 6, 10,
                31, 26, 47, 7, 20, 16
            ]
        );
    }

    #[test]
    fn the_usual_ways_to_roll_a_die_draw_alike() {
        let faces = [1, 2, 3, 4, 5, 6];
        let rolls = [2, 3, 1, 6, 4, 4];
        let six = |roll: fn(&mut PythonRandom, &[i64]) -> i64| {
            let mut random = seeded(4);
            [(); 6].map(|()| roll(&mut random, &faces))
        };
        assert_eq!(six(|random, _| random.randrange(1, 7)), rolls);
        assert_eq!(six(|random, _| random.randint(1, 6)), rolls);
        assert_eq!(six(|random, _| random.randbelow(6) as i64 + 1), rolls);
        assert_eq!(six(|random, faces| *random.choice(faces)), rolls);
        assert_eq!(six(|random, faces| random.sample(faces, 1)[0]), rolls);
    }

    #[test]
    fn a_die_rolled_with_a_fraction_has_its_own_stream() {
        let mut random = seeded(4);
        let rolls = [(); 6].map(|()| (random.random() * 6.0) as i64 + 1);
        assert_eq!(rolls, [2, 1, 3, 1, 1, 3]);
    }

    #[test]
    fn digits_from_seed_500() {
        let mut random = seeded(500);
        let digits = [(); 20].map(|()| random.randint(0, 9));
        assert_eq!(digits, [7, 8, 9, 7, 4, 6, 3, 1, 5, 9, 1, 0, 3, 5, 3, 6, 4, 0, 1, 5]);
    }

    #[test]
    fn the_sign_of_a_seed_does_not_count() {
        for seed in [1_u64, 4, u64::from(u32::MAX), u64::MAX] {
            let seed = BigInt::from(seed);
            assert_eq!(seeded(-seed.clone()).getrandbits(20_000), seeded(seed).getrandbits(20_000));
        }
    }

    #[test]
    fn no_bits_use_nothing_up() {
        let mut random = seeded(4);
        assert_eq!(random.getrandbits(0), BigUint::ZERO);
        assert_eq!(random.randrange(1, 7), 2);
    }

    #[test]
    fn small_and_big_bounds_draw_alike() {
        for n in [1, 2, 6, 60, 1 << 31, 1 << 32, (1 << 32) + 1, u64::MAX] {
            let (mut small, mut big) = (seeded(n), seeded(n));
            for _ in 0..50 {
                assert_eq!(BigUint::from(small.randbelow(n)), big.randbelow_big(&n.into()));
            }
        }
    }

    #[test]
    fn ranges_may_reach_both_ends_of_i64() {
        let mut random = seeded(4);
        let up = [(); 2].map(|()| random.randrange_step(i64::MIN, i64::MAX, i64::MAX));
        let down = [(); 4].map(|()| random.randrange_step(i64::MAX, i64::MIN, i64::MIN));
        assert_eq!(up, [i64::MIN, -1]);
        assert_eq!(down, [i64::MAX, -1, -1, i64::MAX]);
        assert_eq!(random.randint(i64::MAX, i64::MAX), i64::MAX);
    }

    #[test]
    fn seeds_longer_than_the_state_are_used_in_full() {
        let two = BigInt::from(2);
        let seeds = [
            (two.pow(19_968) - 1, [3, 1, 5, 2, 2, 3, 5, 6, 1, 6, 4, 6]),
            (two.pow(19_968), [2, 6, 6, 6, 5, 2, 4, 6, 5, 3, 2, 4]),
            (two.pow(20_000), [6, 3, 3, 2, 4, 4, 5, 6, 1, 1, 4, 1]),
            (BigInt::from(10).pow(10_000), [3, 3, 1, 1, 1, 4, 1, 4, 5, 3, 3, 2]),
        ];
        for (seed, rolls) in seeds {
            let mut random = seeded(seed);
            assert_eq!([(); 12].map(|()| random.randint(1, 6)), rolls);
        }
    }

    #[test]
    fn keys_that_rand_mt_takes_in_full_give_its_state() {
        for length in [1, 2, 3, 100, 623, 624] {
            let key: Vec<u32> = (0..length).map(|word: u32| !word.pow(3)).collect();
            assert!(twister(&key) == Mt::new_with_key(key), "{length} words");
        }
    }

    #[test]
    fn what_python_refuses_panics() {
        let refused: [fn(&mut PythonRandom); 9] = [
            |random| drop(random.randbelow_big(&BigUint::ZERO)),
            |random| assert_eq!(random.randbelow(0), 0),
            |random| assert_eq!(random.randrange(1, 1), 1),
            |random| assert_eq!(random.randint(2, 1), 1),
            |random| assert_eq!(random.randrange_step(1, 5, -1), 1),
            |random| assert_eq!(random.randrange_step(5, 1, 1), 5),
            |random| assert_eq!(random.randrange_step(1, 5, 0), 1),
            |random| assert_eq!(random.choice(&[0; 0]), &0),
            |random| drop(random.sample(&[1, 2], 3)),
        ];
        for (number, refuse) in refused.into_iter().enumerate() {
            let outcome = std::panic::catch_unwind(|| refuse(&mut seeded(4)));
            assert!(outcome.is_err(), "number {number} was let through");
        }
    }

    #[test]
    fn the_pool_is_as_large_as_python_reckons() {
        // From `21 + (4 ** math.ceil(math.log(k * 3, 4)) if k > 5 else 0)`.
        let sizes = [(0, 21), (5, 21), (6, 85), (21, 85), (22, 277), (85, 277), (86, 1045), (341, 1045), (342, 4117)];
        for (k, size) in sizes {
            assert_eq!(largest_pool(k), size, "for {k}");
        }
    }
}
