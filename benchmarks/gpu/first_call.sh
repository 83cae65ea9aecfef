#!/usr/bin/env bash
# The first minutes on a card: does it answer rightly, how fast is it, beside PyTorch, and why.
#
#   benchmarks/gpu/first_call.sh BINARIES OUT [SECONDS]
#
# BINARIES is the folder that pack.sh makes, on a machine with Rust. Each step has a time limit and a log of its own, so a broken one costs only itself;
# after each step everything so far is put into OUT/first-call.tar.xz. README.md beside this says how to read it.
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

save() { (cd "$work" && tar -cJf "$out/first-call.tar.xz.part" first-call && mv "$out/first-call.tar.xz.part" "$out/first-call.tar.xz"); }

# step NAME SECONDS COMMAND...: at most so long, to NAME.txt; a line of what came of it to steps.tsv and here.
step() {
  local name=$1 limit=$2 begun=$EPOCHREALTIME left=$((ends - SECONDS)) rc=0
  shift 2
  ((limit > left)) && limit=$left
  if ((limit < 3)); then
    printf '%s\tskipped: no time was left\n' "$name" | tee -a "$logs/steps.tsv"
    return
  fi
  timeout --kill-after=5 "$limit" "$@" >"$logs/$name.txt" 2>&1 || rc=$?
  printf '%s\texit %d\t%.1f s of %d\n' "$name" "$rc" "$(awk "BEGIN{print $EPOCHREALTIME - $begun}")" "$limit" | tee -a "$logs/steps.tsv"
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

# PyTorch compiles its shapes ahead, beside steps that are not timed; its cache serves the timed ones.
warm() {
  local batch
  {
    for batch in 1024 4096 64 256; do
      echo '{"work": "play", "size": [9, 9, 6, 96], "batch": '$batch', "dtype": "f16", "device": "'"$device"'", "seconds": 0, "compile": true}'
    done
    for batch in 1024 256; do
      echo '{"work": "learn", "size": [9, 9, 6, 96], "batch": '$batch', "dtype": "bf16", "device": "'"$device"'", "seconds": 0, "compile": true}'
    done
  } | python3 "$here/peer.py"
}
export -f facts warm
export here device nvcc nvrtc

step facts 20 bash -c facts
# Right or wrong needs no quiet card: three at a time.
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
step bench 190 python3 "$here/bench.py" --part first --device "$device" --binary "$dagzero" --out "$logs/bench.json" --seconds 1.5 --minutes 3 \
  --commit "$commit" ${FIRST_CALL_BENCH:-}
save
step games 40 "$dagzero" bench games --device "$device" --json --game go:size=9 --network 9x9b6c96 --batch 2048 --groups 3 --seconds 4
save
step ncu 60 ncu --set full --target-processes all -k regex:convolve --launch-skip 20 -c 3 \
  "$dagzero" bench device --device "$device" --network 9x9b6c96 --batch 4096 --seconds 0 --learning none
step sanitizer 60 compute-sanitizer "$dagzero" doctor --device "$device" --json
save
echo; cat "$logs/steps.tsv"
