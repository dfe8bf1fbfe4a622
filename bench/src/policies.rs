//! Lists of policies, each of which may have options.

/// The policies of a list separated by commas: `ps,on-demand:levels=3,arm=1us` names two, since what is written
/// `option=value` belongs to the policy before it.
pub fn split(text: &str) -> Vec<String> {
    let mut policies: Vec<String> = Vec::new();
    for word in text.split(',').map(str::trim) {
        match policies.last_mut() {
            Some(policy) if word.contains('=') && !word.contains(':') => *policy += &format!(",{word}"),
            _ => policies.push(word.to_owned()),
        }
    }
    policies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stay_with_their_policy() {
        let policies = split("ps, darc:window=9,group=2,on-demand:arm=1us,c-fcfs");
        assert_eq!(policies, ["ps", "darc:window=9,group=2", "on-demand:arm=1us", "c-fcfs"]);
        assert_eq!(split(","), ["", ""]);
    }
}
