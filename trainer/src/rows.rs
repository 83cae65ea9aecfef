//! A cycle's row files.

use std::collections::BTreeSet;
use std::io::{Read, Seek};

use anyhow::{Context, bail};
use dz_config::{NetworkSection, PolicyHead};
use dz_game::{AnyGame, Game, GameSpec};
use dz_network_file::{Head, NetworkSpec};
use dz_shard::{RowFileHeader, RowReader, RowSet, RowShape, ShardError};
use dz_store::{ObjectRef, RowsState, Run, RunInfo};

/// Row files of one set, opened once to see what they are.
#[derive(Clone, Debug)]
pub struct CycleRows {
    /// The run.
    pub run: Run,
    /// The files of each board, in the order of the ledger. Boards without files are left out.
    pub boards: Vec<BoardRows>,
    /// Rows in all files.
    pub rows: u64,
    /// The run that they belong to.
    pub identity: RunInfo,
}

/// Row files of one board in reading order.
#[derive(Clone, Debug)]
pub struct BoardRows {
    /// What all files share.
    pub header: RowFileHeader,
    /// The files with their rows.
    pub files: Vec<(ObjectRef, u64)>,
}

impl BoardRows {
    /// Rows in all files.
    pub fn rows(&self) -> u64 {
        self.files.iter().map(|(_, rows)| rows).sum()
    }
}

impl CycleRows {
    /// The rows that `state` names for training or validation.
    ///
    /// # Errors
    /// If a file is missing, is of another game, encoding or set than the run's, or if the files do
    /// not have the rows that the ledger states. Other boards of the run's game are accepted: the
    /// learner decides whether the network takes them.
    pub fn open(
        run: &Run,
        state: &RowsState,
        set: RowSet,
        identity: &RunInfo,
    ) -> anyhow::Result<Self> {
        let (objects, rows) = match set {
            RowSet::Train => (&state.train, state.summary.train_rows),
            RowSet::Validation => (&state.validation, state.summary.validation_rows),
            RowSet::Segments => bail!("segments are the shuffler's own; please report this"),
        };
        let identity = identity.clone();
        let mut all = Self { run: run.clone(), boards: Vec::new(), rows: 0, identity };
        for object in objects {
            let reader = RowReader::open(&run.local_path(object))?;
            let found = reader.header();
            all.check(&reader).with_context(|| format!("{object} does not belong to this run"))?;
            let place = all.boards.iter().position(|board| board.header.game == found.game);
            let place = place.unwrap_or_else(|| {
                all.boards.push(BoardRows { header: found.clone(), files: Vec::new() });
                all.boards.len() - 1
            });
            let header = &all.boards[place].header;
            if found.set != set
                || found.shape != header.shape
                || found.symmetries != header.symmetries
            {
                bail!("{object} is not of the same kind as the cycle's other rows");
            }
            all.rows += reader.rows();
            all.boards[place].files.push((object.clone(), reader.rows()));
        }
        if all.rows != rows {
            bail!("the ledger states {rows} rows of {set:?}, the files have {}", all.rows);
        }
        Ok(all)
    }

    /// Refuses rows of another game, or of the run's board in another encoding.
    fn check(&self, reader: &RowReader<impl Read + Seek>) -> Result<(), ShardError> {
        let name = |game: &str| game.split(':').next().unwrap_or_default().to_owned();
        let found = &reader.header().game;
        if *found != self.identity.game && name(found) == name(&self.identity.game) {
            return Ok(());
        }
        reader.check(&self.identity.game, &self.identity.encoding)
    }

    /// Common fields of the rows of the run's own board; `None` where there are none.
    fn own_header(&self) -> Option<&RowFileHeader> {
        let boards = self.boards.iter().map(|board| &board.header);
        boards.into_iter().find(|header| header.game == self.identity.game)
    }

    /// The network that learns these rows, with these heads beside policy and value. A cycle
    /// without rows to train on has the network of its game.
    ///
    /// # Errors
    /// If there is no such game, or the rows do not carry the targets of a head.
    pub fn network_spec(
        &self,
        network: &NetworkSection,
        heads: BTreeSet<Head>,
    ) -> anyhow::Result<NetworkSpec> {
        let shape = if let Some(header) = self.own_header() {
            header.shape
        } else {
            let spec: GameSpec = self.identity.game.parse()?;
            RowShape::of(&AnyGame::of(&spec)?.encoding())
        };
        let planes = shape.planes;
        let targets: Vec<_> = self.boards.iter().map(|board| board.header.shape.targets).collect();
        let lacks =
            |head: &&Head| head.is_in_rows() && targets.iter().any(|targets| !targets.has(**head));
        if let Some(head) = heads.iter().find(lacks) {
            bail!(
                "the rows do not carry what the head '{head}' learns from: they were shuffled before \
                 heads.{head}_weight was above 0; start a new run, or set it to 0"
            );
        }
        Ok(NetworkSpec {
            game: self.identity.game.clone(),
            encoding: self.identity.encoding.clone(),
            channels_in: planes.channels,
            height: planes.height,
            width: planes.width,
            globals: planes.globals,
            policy_len: shape.policy_len,
            blocks: network.blocks as usize,
            channels: network.channels as usize,
            policy_channels: network.policy_channels as usize,
            value_channels: network.value_channels as usize,
            value_hidden: network.value_hidden as usize,
            global_pooling: network.global_pooling,
            squeeze_ratio: network.squeeze_ratio as usize,
            bottleneck_blocks: network.bottleneck_blocks as usize,
            policy_planes: match network.policy_head {
                PolicyHead::Dense => 0,
                PolicyHead::Convolution => shape.policy_len / (planes.height * planes.width),
            },
            any_size: network.any_size,
            heads,
        })
    }
}
