//! Columns for people.

/// Lines of cells, each column as wide as its widest cell.
pub(crate) fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let padded = |line: &Vec<String>| {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    lines.iter().map(padded).collect::<Vec<_>>().join("\n")
}

/// Without the columns that say nothing in any line but the head.
pub(crate) fn telling(lines: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let says = |column: usize| {
        let below = lines.iter().skip(1);
        below
            .filter_map(|line| line.get(column))
            .any(|cell| !cell.is_empty())
    };
    let kept: Vec<bool> = (0..columns).map(says).collect();
    let keep = |line: Vec<String>| {
        let cells = line.into_iter().zip(&kept);
        cells
            .filter_map(|(cell, kept)| kept.then_some(cell))
            .collect()
    };
    lines.into_iter().map(keep).collect()
}
