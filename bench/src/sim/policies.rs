//! Lists of policies as people write them.

use super::Spec;
use crate::error::BenchError;

/// Reads `ps,on-demand:OPTION=VALUE,OPTION=VALUE,c-fcfs`: what has a `=` and no `:` is an option of the policy
/// before it.
///
/// # Errors
/// When a policy or an option is unknown, with what was probably meant.
pub fn parse(text: &str) -> Result<Vec<Spec>, BenchError> {
    let spec =
        |word: &String| word.parse().map_err(|error| BenchError::Simulation(format!("policy {error}")));
    crate::policies::split(text).iter().map(spec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_belong_to_the_policy_before_them() {
        let names = |text: &str| -> Vec<String> {
            parse(text).unwrap().iter().map(|policy| policy.to_string()).collect()
        };
        let text = "ps, darc:window=100,group=1.5, c-fcfs";
        assert_eq!(names(text), ["ps", "darc:window=100,group=1.5", "c-fcfs"]);
    }

    #[test]
    fn an_unknown_policy_gets_a_suggestion() {
        for (text, part) in
            [("ps,on-demnd", "did you mean `on-demand`?"), ("darc:windw=1", "`window`"), ("", "known")]
        {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
