#!/usr/bin/env bash
# One network for 7x7, 9x9 and 11x11, and one for each board alone, with the same games on each board.
# Then the first network plays a match against each other one. About 40 minutes of processor time.
#
#   benchmarks/boards/three.sh FOLDER [DAGZERO]
set -euo pipefail
base=$(realpath "$(dirname "${BASH_SOURCE[0]}")/base.toml")
dagzero=$(realpath "$(command -v "${2:-dagzero}")")
mkdir -p "$1"
cd "$1"
# The games of one board, and of three boards together.
small=(--set run.cycles=5 --set selfplay.playouts=60 --set selfplay.playouts_fast=16 --set selfplay.plies_max=242
  --set selfplay.games_per_shard=20)
one=("${small[@]}" --set selfplay.games=100 --set bootstrap.games=400)
three=("${small[@]}" --set selfplay.games=300 --set bootstrap.games=1200)
"$dagzero" run "$base" --dir all "${three[@]}" --set 'run.boards=["go:size=9,komi=7", "go:size=11,komi=7"]'
"$dagzero" run "$base" --dir 7 "${one[@]}"
"$dagzero" run "$base" --dir 9 "${one[@]}" --set run.game=go:size=9,komi=7
"$dagzero" run "$base" --dir 11 "${one[@]}" --set run.game=go:size=11,komi=7
for board in 7,komi=9 9,komi=7 11,komi=7; do
  "$dagzero" match all "${board%%,*}" --game "go:size=$board" --games 200 --opening-plies 4 --playouts 100
done
