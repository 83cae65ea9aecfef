#!/usr/bin/env bash
# Measures a GPU in one call: right answers, speeds beside PyTorch, profiles.
#
#   benchmarks/gpu/first_call.sh BINARIES OUT [SECONDS]
#
# BINARIES is the folder that pack.sh makes on a machine with Rust. Each step has a time limit and a
# log, so a broken step costs only itself. After each step all logs are packed into
# OUT/first-call.tar.xz. README.md says how to read them. FIRST_CALL_SKIP="ncu sanitizer" leaves steps
# out.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binaries=$(cd "${1:?folder that pack.sh made}" && pwd)
out=${2:?folder for results}
ends=$((SECONDS + ${3:-540}))
mkdir -p "$out"
work=$(mktemp -d)
logs=$work/first-call
mkdir -p "$logs" "$work/bin"
for name in dagzero layers_on_card tower_on_card speed; do
  xz -dc "$binaries/$name.xz" >"$work/bin/$name"
  chmod +x "$work/bin/$name"
done
commit=$(cat "$binaries/commit" 2>/dev/null || echo unknown)
dagzero=$work/bin/dagzero

# Where the compiler, its headers and its libraries lie.
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
export CUDA_PATH=${CUDA_PATH:-$(dirname "$(dirname "$(readlink -f "${nvcc:-/usr/local/cuda/bin/nvcc}")")")}
nvrtc=$(ls "$CUDA_PATH"/lib64/libnvrtc.so* "$CUDA_PATH"/targets/*/lib/libnvrtc.so* 2>/dev/null | head -1)
[[ -n $nvrtc ]] && export LD_LIBRARY_PATH=$(dirname "$nvrtc")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export DAGZERO_KERNELS=$work/kernels PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 TORCHINDUCTOR_CACHE_DIR=$work/inductor
device=${FIRST_CALL_DEVICE:-cuda}

save() {
  tar -C "$work" -cJf "$out/first-call.tar.xz.part" first-call
  mv "$out/first-call.tar.xz.part" "$out/first-call.tar.xz"
}

# step NAME SECONDS COMMAND...: runs a command for at most SECONDS with its output in NAME.txt, and
# adds a line to steps.tsv.
step() {
  local name=$1 limit=$2 begun=$EPOCHREALTIME left=$((ends - SECONDS)) rc=0
  shift 2
  [[ " ${FIRST_CALL_SKIP:-} " == *" $name "* ]] && return
  ((limit > left)) && limit=$left
  if ((limit < 3)); then
    printf '%s\tskipped: no time was left\n' "$name" | tee -a "$logs/steps.tsv"
    return
  fi
  timeout --kill-after=5 "$limit" "$@" >"$logs/$name.txt" 2>&1 || rc=$?
  local took
  took=$(awk "BEGIN{print $EPOCHREALTIME - $begun}")
  printf '%s\texit %d\t%.1f s of %d\n' "$name" "$rc" "$took" "$limit" | tee -a "$logs/steps.tsv"
}

facts() {
  nvidia-smi
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.sm,mig.mode.current --format=csv
  echo "nvcc: $nvcc; CUDA_PATH: $CUDA_PATH; nvrtc: $nvrtc"
  ls "$CUDA_PATH"/include/cuda_fp16.h "$CUDA_PATH"/include/mma.h
  ldconfig -p | grep -E 'libcuda|libnvrtc'
  ldd --version | head -1
  nproc
  lscpu | grep -E 'Model name|L2|L3'
  free -g | head -2
  python3 -c 'import torch; print("torch", torch.__version__, torch.version.cuda, torch.backends.cudnn.version())'
}

# PyTorch compiles its shapes beside steps that are not timed. Its cache serves the timed steps.
request() {
  printf '{"work": "%s", "batch": %d, "dtype": "%s", "size": [9, 9, 6, 96], ' "$@"
  printf '"device": "%s", "seconds": 0, "compile": true}\n' "$device"
}
warm() {
  local batch
  {
    for batch in 1024 4096 64 256; do request play "$batch" f16; done
    for batch in 1024 256; do request learn "$batch" bf16; done
  } | python3 "$here/peer.py"
}
export -f facts request warm
export here device nvcc nvrtc

step facts 20 bash -c facts
# These steps are not timed, so they share the card.
step doctor-first 120 "$dagzero" doctor --device "$device" --json &
DAGZERO_KERNELS=$work/kernels-of-test DAGZERO_CARD=${FIRST_CALL_CARD:-cuda:0} \
  step layers_on_card 170 "$work/bin/layers_on_card" --nocapture &
DAGZERO_CARD=${FIRST_CALL_CARD:-cuda:0} step tower_on_card 60 "$work/bin/tower_on_card" --nocapture &
step torch-warm 100 bash -c warm &
wait
save
step doctor-second 60 "$dagzero" doctor --device "$device" --json
step speed 60 "$work/bin/speed"
save
step bench 190 python3 "$here/bench.py" --part first --device "$device" --binary "$dagzero" \
  --out "$logs/bench.json" --seconds 1.5 --minutes 3 --commit "$commit" ${FIRST_CALL_BENCH:-}
save
# shellcheck disable=SC2086  # options, one word each
step games 40 "$dagzero" bench games --device "$device" --json --game go:size=9 \
  ${FIRST_CALL_GAMES:---network 9x9b6c96 --batch 2048 --seconds 4}
save
# ncu must not lock the clocks of a card that others use after us.
for batch in 256 1024; do
  step "kernels-$batch" 60 python3 "$here/kernels.py" --out "$logs/kernels-$batch.json" -- \
    "$dagzero" bench device --device "$device" --network 9x9b6c96 --batch "$batch" --seconds 0 \
    --precision none --learning bf16
done
save
step ncu 60 ncu --set full --clock-control none --target-processes all -k regex:convolve --launch-skip 20 -c 3 \
  "$dagzero" bench device --device "$device" --network 9x9b6c96 --batch 4096 --seconds 0 --learning none --layers
step sanitizer 60 compute-sanitizer "$dagzero" doctor --device "$device" --json
save
echo; cat "$logs/steps.tsv"
