//! Shares in percent.

/// Parses a share in percent, such as `2%`.
pub fn share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').map(str::trim);
    let percent = number.and_then(|it| it.parse::<f64>().ok()).filter(|it| (0.0..1e6).contains(it));
    percent.map(|percent| percent / 100.0).ok_or_else(|| "write a share like 2%".to_owned())
}
