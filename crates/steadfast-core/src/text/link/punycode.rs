//! Unicode labels in ASCII (RFC 3492), as host names carry them.

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST_CODE: u32 = 128;
/// Longer labels do not exist (RFC 1035), and the algorithm is quadratic.
const LABEL_CHARS_MAX: usize = 63;

/// The label without its `xn--`; none where it is too long.
pub(super) fn encode(label: &str) -> Option<String> {
    let codes: Vec<u32> = label.chars().map(u32::from).collect();
    if codes.len() > LABEL_CHARS_MAX {
        return None;
    }
    let mut output: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(output.len()).ok()?;
    let mut handled = basic;
    if basic > 0 {
        output.push('-');
    }
    let (mut code, mut delta, mut bias) = (FIRST_CODE, 0_u32, FIRST_BIAS);
    while (handled as usize) < codes.len() {
        let next = codes.iter().copied().filter(|c| *c >= code).min()?;
        delta = delta.checked_add((next - code).checked_mul(handled + 1)?)?;
        code = next;
        for &one in &codes {
            if one < code {
                delta = delta.checked_add(1)?;
            }
            if one == code {
                push_number(delta, bias, &mut output);
                bias = adapt(delta, handled + 1, handled == basic);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        code += 1;
    }
    Some(output)
}

fn push_number(delta: u32, bias: u32, output: &mut String) {
    let mut rest = delta;
    let mut k = BASE;
    loop {
        let threshold = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
        if rest < threshold {
            output.push(digit(rest));
            return;
        }
        let span = BASE - threshold;
        output.push(digit(threshold + (rest - threshold) % span));
        rest = (rest - threshold) / span;
        k += BASE;
    }
}

fn adapt(delta: u32, points: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / DAMP } else { delta / 2 };
    delta += delta / points;
    let mut k = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

fn digit(value: u32) -> char {
    let letter = u8::try_from(value).unwrap_or(0);
    char::from(if letter < 26 {
        b'a' + letter
    } else {
        b'0' + (letter - 26)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names() {
        for (label, ascii) in [
            ("bücher", "bcher-kva"),
            ("中国", "fiqs8s"),
            ("政务", "zfr164b"),
            ("例え", "r8jz45g"),
            ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ] {
            assert_eq!(encode(label).as_deref(), Some(ascii), "{label}");
        }
        assert_eq!(encode(&"中".repeat(64)), None);
    }
}
