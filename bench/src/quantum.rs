//! Quanta on the command line: `none`, or a duration such as `5us`.

use std::time::Duration;

/// Reads a quantum in nanoseconds; `None` for `none`.
///
/// # Errors
/// What is wrong and what to write, for any other text and for a quantum of 0.
pub fn parse(text: &str) -> Result<Option<u64>, String> {
    let text = text.trim();
    if text == "none" {
        return Ok(None);
    }
    let advice = "write `none` or a duration with its unit, such as 5us";
    let duration =
        humantime::parse_duration(text).map_err(|error| format!("quantum `{text}`: {error}; {advice}"))?;
    match u64::try_from(duration.as_nanos()) {
        Ok(0) => Err(format!("quantum `{text}`: a quantum of 0 would preempt without end; {advice}")),
        Ok(ns) => Ok(Some(ns)),
        Err(_) => Err(format!("quantum `{text}`: too long; {advice}")),
    }
}

/// The quantum as [`parse`] reads it.
pub fn format(quantum_ns: Option<u64>) -> String {
    match quantum_ns {
        None => "none".into(),
        Some(ns) => humantime::format_duration(Duration::from_nanos(ns)).to_string().replace(' ', ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quanta_round_trip() {
        for (text, ns) in
            [("none", None), ("5us", Some(5_000)), ("1ms", Some(1_000_000)), ("2us500ns", Some(2_500))]
        {
            assert_eq!(parse(text), Ok(ns));
            assert_eq!(format(ns), text);
        }
    }

    #[test]
    fn zero_and_nonsense_are_refused_with_advice() {
        for text in ["0us", "5", "-5us", "fast", "", "99999999999y"] {
            assert!(parse(text).unwrap_err().contains("5us"), "{text}");
        }
    }
}
