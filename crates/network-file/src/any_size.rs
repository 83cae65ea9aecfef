//! Networks for boards of any size: from the weights of a point to those of a whole board.

use std::borrow::Cow;

use crate::{NetworkError, NetworkFile, NetworkHeader, NetworkSpec, TensorData};

/// The board that a network is to play on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board<'a> {
    /// The game in canonical form.
    pub game: &'a str,
    /// The encoding's id.
    pub encoding: &'a str,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// Policy length.
    pub policy_len: usize,
}

impl NetworkFile {
    /// The network as it plays on `board`, with a weight for each of its points: what engines
    /// compute.
    ///
    /// # Errors
    /// [`NetworkError::OtherGame`] or [`NetworkError::OtherEncoding`] if it is for another one. A
    /// network for boards of any size is for every game of its name whose encoding differs in
    /// nothing but the size: other parameters, such as komi, are either shown by the encoding or
    /// unknown to it.
    pub fn on_board(&self, board: &Board<'_>) -> Result<Cow<'_, Self>, NetworkError> {
        if !self.header.spec.any_size {
            self.check_fits(board.game, board.encoding)?;
            return self.with_optimism(0.0);
        }
        self.check()?;
        let plays = self.with_optimism(0.0)?;
        let spec = plays.header.spec.on_board(board)?;
        spec.validate()?;
        Ok(Cow::Owned(plays.spread(spec)))
    }

    /// The network as it plays on the board that it was trained on.
    ///
    /// # Errors
    /// [`NetworkError::BadSpec`] or [`NetworkError::BadTensors`] of a file that was not checked.
    pub fn on_own_board(&self) -> Result<Cow<'_, Self>, NetworkError> {
        let NetworkSpec { any_size, height, width, policy_len, ref game, ref encoding, .. } =
            self.header.spec;
        if !any_size {
            self.check()?;
            return self.with_optimism(0.0);
        }
        self.on_board(&Board { game, encoding, height, width, policy_len })
    }

    /// Weights of points written out for every point of `spec`'s board.
    fn spread(&self, spec: NetworkSpec) -> Self {
        let area = spec.area();
        let channels = spec.policy_channels;
        let numbers = |name: &str| self.tensors[name].data.as_slice();
        let (point, rest) = numbers("policy.linear.weight").split_at(channels);
        let (point_bias, rest_bias) = numbers("policy.linear.bias").split_at(1);
        let policy = [at_points(point, area), means(rest, area)].concat();
        let policy_bias = [point_bias.repeat(area), rest_bias.to_vec()].concat();
        let hidden = means(numbers("value.hidden.weight"), area);
        let shapes = spec.tensor_shapes();
        let mut tensors = self.tensors.clone();
        for (name, data) in [
            ("policy.linear.weight", policy),
            ("policy.linear.bias", policy_bias),
            ("value.hidden.weight", hidden),
        ] {
            let shape = shapes[name].clone();
            tensors.insert(name.to_owned(), TensorData { shape, data });
        }
        Self { header: NetworkHeader { spec, ..self.header.clone() }, tensors }
    }
}

impl NetworkSpec {
    /// What this network, which is for boards of any size, is on one of them.
    ///
    /// # Errors
    /// [`NetworkError::OtherGame`] or [`NetworkError::OtherEncoding`] if it is not for this board.
    pub fn on_board(&self, board: &Board<'_>) -> Result<Self, NetworkError> {
        let name = |game: &str| game.split(':').next().unwrap_or_default().to_owned();
        if name(&self.game) != name(board.game) {
            let network = self.game.clone();
            let wanted = board.game.to_owned();
            return Err(NetworkError::OtherGame { network, wanted });
        }
        let spec = Self {
            game: board.game.to_owned(),
            encoding: board.encoding.to_owned(),
            height: board.height,
            width: board.width,
            policy_len: board.policy_len,
            any_size: false,
            ..self.clone()
        };
        let alike = spec.sizeless_encoding() == self.sizeless_encoding()
            && spec.actions_beside_points() == self.actions_beside_points();
        if !alike {
            let network = self.encoding.clone();
            let wanted = board.encoding.to_owned();
            return Err(NetworkError::OtherEncoding { network, wanted });
        }
        Ok(spec)
    }

    /// The encoding's id without the board's size, which ids hold as rows x columns.
    fn sizeless_encoding(&self) -> String {
        self.encoding.replacen(&format!("{}x{}", self.height, self.width), "", 1)
    }
}

/// A layer that looks at one point, for each point of a board: `weights [C]` to
/// `[H * W, C * H * W]`.
fn at_points(weights: &[f32], area: usize) -> Vec<f32> {
    let mut spread = vec![0.0; area * weights.len() * area];
    for (point, row) in spread.chunks_exact_mut(weights.len() * area).enumerate() {
        for (board, &weight) in row.chunks_exact_mut(area).zip(weights) {
            board[point] = weight;
        }
    }
    spread
}

/// A layer that looks at means over the board, for its points: `weights [out, C]` to
/// `[out, C * H * W]`.
fn means(weights: &[f32], area: usize) -> Vec<f32> {
    weights.iter().flat_map(|weight| std::iter::repeat_n(weight / area as f32, area)).collect()
}
