#!/usr/bin/env bash
# Self-play and training on one GPU, alone and at the same time, under NVIDIA's MPS.
#
#   benchmarks/gpu/contention.sh DAGZERO
#
# DAGZERO is a build with CUDA. Takes a minute and a half. ../results/2026-11-28-h200/contention.txt
# has what the same commands gave that day; this file was written after them.
set -uo pipefail
dagzero=${1:?program}
work=$(mktemp -d)

# games BATCH GROUPS: evaluations a second of Connect Four with and without games.
games() {
  "$dagzero" bench games --device cuda --game connect4 --network 6x7b6c128 --batch "$1" --groups "$2" \
    --playouts 64 --seconds 2.5 2>&1 | grep evaluations/s | grep -v 'takes no time' | cut -c1-150
}

# learn BATCH SECONDS: rows a second.
learn() {
  "$dagzero" bench device --device cuda --network 6x7b6c128 --batch "$1" --seconds "$2" --precision none \
    --learning bf16 2>&1 | grep rows/s | cut -c1-150
}

# both VARIABLE BATCH GROUPS ROWS: both at the same time, training with one more environment variable.
both() {
  echo "both: $*"
  (export "$1"; learn "$4" 8 >"$work/learn.txt") &
  sleep 1.5
  games "$2" "$3"
  wait
  cat "$work/learn.txt"
}

nvidia-cuda-mps-control -d
echo "games alone"; games 1024 3
echo "training alone"; learn 256 2
both NOTHING=1 1024 3 256
both CUDA_MPS_CLIENT_PRIORITY=1 1024 3 256
both NOTHING=1 2048 3 256
both NOTHING=1 1024 3 1024
echo quit | nvidia-cuda-mps-control
rm -r "$work"
