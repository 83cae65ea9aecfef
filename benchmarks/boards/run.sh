#!/usr/bin/env bash
# One network for 5x5 and 7x7, one for 7x7 and one for 5x5, with the same games on each board; then
# matches on both boards. About 25 minutes on two cores that others use, too.
#
#   benchmarks/boards/run.sh FOLDER [DAGZERO]
set -euo pipefail
base=$(realpath "$(dirname "${BASH_SOURCE[0]}")/base.toml")
dagzero=$(realpath "$(command -v "${2:-dagzero}")")
mkdir -p "$1"
cd "$1"
"$dagzero" run "$base" --dir both --set 'run.boards=["go:size=5,komi=9.5"]' \
  --set selfplay.games=480 --set bootstrap.games=1600
"$dagzero" run "$base" --dir seven
"$dagzero" run "$base" --dir five --set run.game=go:size=5,komi=9.5
for pair in "both seven 7,komi=9" "both five 5,komi=9.5" "seven five 5,komi=9.5"; do
  read -r a b size <<<"$pair"
  "$dagzero" match "$a" "$b" --game "go:size=$size" --games 200 --opening-plies 4 --playouts 100
done
