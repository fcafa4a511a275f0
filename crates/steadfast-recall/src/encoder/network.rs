//! The forward pass. Each piece has an embedding; three branches look at two,
//! three and five pieces in a row; the sum over all goes through three layers to
//! one vector of length 1.

use std::collections::BTreeMap;

use super::DIMENSIONS;
use super::arrays::{self, Array};

/// The embedding table is quantised in so many blocks; row `id` is row
/// `id / BLOCKS` of block `id % BLOCKS`.
const BLOCKS: usize = 17;
/// Width of a branch.
const BRANCH: usize = 256;
/// Pieces in a row that a branch sees, and how many of them stand before.
const WINDOWS: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];
/// An embedding and what the three branches make of it.
const FEATURES: usize = DIMENSIONS + WINDOWS.len() * BRANCH;
/// Width of the middle layers.
const HIDDEN: usize = 320;

#[derive(Debug)]
pub(super) struct Network {
    /// By block: rows of bytes, with the block's scale and lowest value.
    table: Vec<Vec<u8>>,
    scale: Vec<f32>,
    lowest: Vec<f32>,
    branches: Vec<Branch>,
    entry_norm: Norm,
    norm: Norm,
    project: Dense,
    /// Layers without bias; two of them have a second way in.
    d0: Vec<f32>,
    d1: Vec<f32>,
    d2: Vec<f32>,
    d3: Vec<f32>,
    p1: Vec<f32>,
    p3: Vec<f32>,
    epsilon: f32,
}

#[derive(Debug)]
struct Branch {
    size: usize,
    before: usize,
    enter: Dense,
    first: Dense,
    second: Dense,
}

/// `x · weights + bias`; weights row by row, a row for each input.
#[derive(Debug)]
struct Dense {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

#[derive(Debug)]
struct Norm {
    gain: Vec<f32>,
    shift: Vec<f32>,
}

impl Network {
    pub(super) fn read(file: &[u8]) -> Result<Network, String> {
        let mut arrays = Arrays(arrays::read(file)?);
        let mut table = Vec::with_capacity(BLOCKS);
        for block in 1..=BLOCKS {
            let rows = arrays.bytes(&format!("q{block}"))?;
            table.push(rows);
        }
        if table.iter().any(|rows| rows.len() != table[0].len()) {
            return Err("its blocks differ in size".to_owned());
        }
        let mut branches = Vec::new();
        let mut entry_norm = Norm {
            gain: Vec::new(),
            shift: Vec::new(),
        };
        for (size, before) in WINDOWS {
            let named = |name: &str| format!("{name}{size}");
            let norm = arrays.norm(&named("ln_g"), &named("ln_b"), BRANCH)?;
            entry_norm.gain.extend(norm.gain);
            entry_norm.shift.extend(norm.shift);
            branches.push(Branch {
                size,
                before,
                enter: arrays.dense(&named("proj"), &named("proj_b"), DIMENSIONS, BRANCH)?,
                first: arrays.dense(&named("w1_"), &named("b1_"), size * BRANCH, BRANCH)?,
                second: arrays.dense(&named("w2_"), &named("b2_"), size * BRANCH, BRANCH)?,
            });
        }
        Ok(Network {
            table,
            scale: arrays.floats("scale", BLOCKS)?,
            lowest: arrays.floats("lo", BLOCKS)?,
            branches,
            entry_norm,
            norm: arrays.norm("ln_g", "ln_b", FEATURES)?,
            project: arrays.dense("cnn_W", "cnn_b", FEATURES, DIMENSIONS)?,
            d0: arrays.floats("d0", DIMENSIONS * HIDDEN)?,
            d1: arrays.floats("d1", HIDDEN * HIDDEN)?,
            d2: arrays.floats("d2", HIDDEN * DIMENSIONS)?,
            d3: arrays.floats("d3", DIMENSIONS * DIMENSIONS)?,
            p1: arrays.floats("p1", DIMENSIONS * HIDDEN)?,
            p3: arrays.floats("p3", HIDDEN * DIMENSIONS)?,
            epsilon: arrays.floats("eps", 1)?[0],
        })
    }

    /// Rows of the embedding table.
    pub(super) fn rows(&self) -> usize {
        BLOCKS * self.table[0].len() / DIMENSIONS
    }

    /// The vector of a sequence of piece ids, at least one.
    pub(super) fn encode(&self, ids: &[u32]) -> Vec<f32> {
        let mut features: Vec<Vec<f32>> = ids.iter().map(|id| self.embedding(*id)).collect();
        let entered = self.enter(&features);
        for (at, branch) in self.branches.iter().enumerate() {
            let own = |row: &Vec<f32>| row[at * BRANCH..(at + 1) * BRANCH].to_vec();
            let seen = branch.run(entered.iter().map(own).collect());
            for (feature, more) in features.iter_mut().zip(seen) {
                feature.extend(more);
            }
        }
        let mut sum = vec![0.0; FEATURES];
        for mut feature in features {
            self.norm.apply(&mut feature, self.epsilon);
            add(&mut sum, &feature);
        }
        // Sum, then project: the projection is linear, so it is done once.
        let count = ids.len() as f32;
        let mut text = times(&sum, &self.project.weights, DIMENSIONS);
        for (value, bias) in text.iter_mut().zip(&self.project.bias) {
            *value = (*value + count * bias) / count.sqrt();
        }
        self.deepen(&text)
    }

    /// What goes into the branches, side by side: normalised over all three.
    fn enter(&self, embeddings: &[Vec<f32>]) -> Vec<Vec<f32>> {
        embeddings
            .iter()
            .map(|embedding| {
                let branches = self.branches.iter();
                let mut x: Vec<f32> = branches.flat_map(|b| b.enter.apply(embedding)).collect();
                self.entry_norm.apply(&mut x, self.epsilon);
                x
            })
            .collect()
    }

    fn deepen(&self, text: &[f32]) -> Vec<f32> {
        let mut y0 = times(text, &self.d0, HIDDEN);
        positive(&mut y0);
        let mut y1 = times(text, &self.p1, HIDDEN);
        add(&mut y1, &times(&y0, &self.d1, HIDDEN));
        positive(&mut y1);
        let mut y2 = times(&y1, &self.d2, DIMENSIONS);
        positive(&mut y2);
        let mut z = times(&y1, &self.p3, DIMENSIONS);
        add(&mut z, &times(&y2, &self.d3, DIMENSIONS));
        for value in &mut z {
            *value = value.tanh();
        }
        let length = z.iter().map(|v| v * v).sum::<f32>().max(self.epsilon);
        for value in &mut z {
            *value /= length.sqrt();
        }
        z
    }

    fn embedding(&self, id: u32) -> Vec<f32> {
        let (block, row) = (id as usize % BLOCKS, id as usize / BLOCKS);
        let (scale, lowest) = (self.scale[block], self.lowest[block]);
        self.table[block][row * DIMENSIONS..(row + 1) * DIMENSIONS]
            .iter()
            .map(|byte| f32::from(*byte) * scale + lowest)
            .collect()
    }
}

impl Branch {
    /// Two layers over windows of neighbours, each added to what went in.
    fn run(&self, entered: Vec<Vec<f32>>) -> Vec<Vec<f32>> {
        let once = self.layer(&self.first, &entered);
        self.layer(&self.second, &once)
    }

    fn layer(&self, dense: &Dense, rows: &[Vec<f32>]) -> Vec<Vec<f32>> {
        (0..rows.len())
            .map(|at| {
                let mut out = dense.bias.clone();
                for slot in 0..self.size {
                    // Outside the text there are zeros, which add nothing.
                    let Some(row) = (at + slot)
                        .checked_sub(self.before)
                        .and_then(|place| rows.get(place))
                    else {
                        continue;
                    };
                    let weights = &dense.weights[slot * BRANCH * BRANCH..];
                    times_into(&mut out, row, weights, BRANCH);
                }
                positive(&mut out);
                add(&mut out, &rows[at]);
                out
            })
            .collect()
    }
}

impl Dense {
    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let mut out = self.bias.clone();
        times_into(&mut out, x, &self.weights, self.bias.len());
        out
    }
}

impl Norm {
    fn apply(&self, x: &mut [f32], epsilon: f32) {
        let n = x.len() as f32;
        let mean = x.iter().sum::<f32>() / n;
        let spread = x.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / n;
        let factor = 1.0 / (spread + epsilon).sqrt();
        for ((value, gain), shift) in x.iter_mut().zip(&self.gain).zip(&self.shift) {
            *value = (*value - mean) * factor * gain + shift;
        }
    }
}

fn times(x: &[f32], weights: &[f32], width: usize) -> Vec<f32> {
    let mut out = vec![0.0; width];
    times_into(&mut out, x, weights, width);
    out
}

/// Adds `x · weights` to `out`.
fn times_into(out: &mut [f32], x: &[f32], weights: &[f32], width: usize) {
    for (value, row) in x.iter().zip(weights.chunks_exact(width)) {
        for (sum, weight) in out.iter_mut().zip(row) {
            *sum += value * weight;
        }
    }
}

fn add(to: &mut [f32], more: &[f32]) {
    for (value, plus) in to.iter_mut().zip(more) {
        *value += plus;
    }
}

fn positive(x: &mut [f32]) {
    for value in x {
        *value = value.max(0.0);
    }
}

/// Named arrays, each taken once and measured.
struct Arrays(BTreeMap<String, Array>);

impl Arrays {
    fn bytes(&mut self, name: &str) -> Result<Vec<u8>, String> {
        match self.0.remove(name) {
            Some(Array::Bytes(bytes)) if bytes.len() % DIMENSIONS == 0 => Ok(bytes),
            _ => Err(format!("no table `{name}`")),
        }
    }

    fn floats(&mut self, name: &str, length: usize) -> Result<Vec<f32>, String> {
        match self.0.remove(name) {
            Some(Array::Floats(floats)) if floats.len() == length => Ok(floats),
            Some(Array::Floats(floats)) => Err(format!(
                "`{name}` has {} numbers, not {length}",
                floats.len()
            )),
            _ => Err(format!("no `{name}`")),
        }
    }

    fn dense(&mut self, w: &str, b: &str, inputs: usize, width: usize) -> Result<Dense, String> {
        Ok(Dense {
            weights: self.floats(w, inputs * width)?,
            bias: self.floats(b, width)?,
        })
    }

    fn norm(&mut self, gain: &str, shift: &str, width: usize) -> Result<Norm, String> {
        Ok(Norm {
            gain: self.floats(gain, width)?,
            shift: self.floats(shift, width)?,
        })
    }
}
