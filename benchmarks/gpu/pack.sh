#!/usr/bin/env bash
# Builds with CUDA what first_call.sh needs, without debug information, compressed.
#
#   benchmarks/gpu/pack.sh FOLDER
set -euo pipefail
out=${1:?folder for dagzero.xz and on_card.xz}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
built=$(cargo build --release --locked --features dagzero/cuda -p dagzero -p dz-burn-net \
  --bin dagzero --test on_card --message-format=json | python3 -c '
import json, sys
for line in sys.stdin:
    one = json.loads(line)
    if one.get("executable") and one["target"]["name"] in ("dagzero", "on_card"):
        print(one["target"]["name"], one["executable"])')
while read -r name path; do
  strip -o "$out/$name" "$path"
  xz -T0 -f "$out/$name"
done <<<"$built"
git rev-parse HEAD >"$out/commit"
ls -l "$out"
