//! "Did you mean …?"

/// The candidate that was probably meant: near enough in spelling, the nearest of them, the first among equals.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let slips = (word.chars().count() / 3).clamp(1, 4);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, candidate)| distance <= slips || (word.len() >= 4 && candidate.starts_with(&word)))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let names = ["darts", "doubles", "racko"];
        assert_eq!(nearest("dart", names), Some("darts"));
        assert_eq!(nearest("rakco", names), Some("racko"));
        assert_eq!(nearest("RACKO", names), Some("racko"));
        assert_eq!(nearest("doub", names), Some("doubles"));
        assert_eq!(nearest("chess", names), None);
        assert_eq!(nearest("", names), None);
    }
}
