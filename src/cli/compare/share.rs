//! Shares in percent.

/// Parses a share in percent, such as `2%`.
pub fn share(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim();
    let percent = number.parse::<f64>().ok().filter(|it| (0.0..1e6).contains(it));
    percent.map(|percent| percent / 100.0).ok_or_else(|| "write a share like 2%".to_owned())
}
