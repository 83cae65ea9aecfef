#!/usr/bin/env bash
# Builds with CUDA what first_call.sh needs, without debug information, compressed.
#
#   benchmarks/gpu/pack.sh FOLDER
set -euo pipefail
out=${1:?folder for the programs}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
built=$(cargo build --release --locked --features dagzero/cuda -p dagzero -p dz-burn-net -p dz-cuda-net \
  --bin dagzero --test on_card --example tower_speed --message-format=json | python3 -c '
import json, sys
names = {"dagzero": "dagzero", "tower_speed": "speed"}
for line in sys.stdin:
    one = json.loads(line)
    if one.get("executable"):
        package = "layers" if "burn-net" in one["package_id"] else "tower"
        print(names.get(one["target"]["name"], f"{package}_on_card"), one["executable"])')
while read -r name path; do
  strip -o "$out/$name" "$path"
  xz -T0 -f "$out/$name"
done <<<"$built"
git rev-parse HEAD >"$out/commit"
ls -l "$out"
