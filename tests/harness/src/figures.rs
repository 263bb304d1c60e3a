// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a run of the suite tried, in numbers: stages print `figure: NUMBER WHAT`, and what is of the same kind adds up.

use std::fmt;

/// The figures of some stages, in the order in which they first came.
#[derive(Default)]
pub struct Figures(Vec<(String, u64)>);

impl Figures {
    /// Adds `number` of `what`.
    pub fn add(&mut self, number: u64, what: &str) {
        match self.0.iter_mut().find(|(known, _)| known == what) {
            Some((_, sum)) => *sum += number,
            None => self.0.push((what.to_owned(), number)),
        }
    }

    /// Adds the figures in a stage's output: its own, and what virtual machines say of splats and leaks.
    pub fn read(&mut self, output: &str) {
        for line in output.lines().map(str::trim) {
            let line = line
                .strip_prefix("figure: ")
                .or_else(|| line.strip_prefix("vm: found "));
            for figure in line.into_iter().flat_map(|line| line.split(", ")) {
                if let Some((Ok(number), what)) = figure.split_once(' ').map(|(n, what)| (n.parse(), what)) {
                    self.add(number, what);
                }
            }
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|(what, number)| writeln!(f, "{number:>10} {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_kinds_add_up() {
        let mut figures = Figures::default();
        figures.read("ok a\n  figure: 3 failures survived\nvm: found 0 splats, 1 leaked objects\n");
        figures
            .read("figure: 40 failures survived\nfigure: no number\nvm: found 1 splats, 1 leaked objects\n");
        figures.add(7, "KUnit cases");
        let shown = figures.to_string();
        let lines: Vec<_> = shown.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "43 failures survived",
                "1 splats",
                "2 leaked objects",
                "7 KUnit cases"
            ]
        );
    }
}
