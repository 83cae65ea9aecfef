#!/usr/bin/env bash
# The table of Gelly and Silver (Combining Online and Offline Knowledge in UCT, ICML 2007) with our
# players: 9x9 Go against GNU Go 3.8 level 8, 3,000 simulations a move.
#
#   benchmarks/gelly-silver.sh DAGZERO OUT [GAMES]
#
# DAGZERO is the program. OUT is a folder for the value function and the matches. GAMES is the number
# of games in a row of the table (200). GNU Go is Debian's package `gnugo`. Learning the value takes
# about two minutes of one core, and a row with RAVE about 40 minutes of two idle cores. GNU Go plays
# by level and not by time, and --seconds is long, so a busy machine does not change the results.
set -euo pipefail
dagzero=$1
out=$2
games=${3:-200}
mkdir -p "$out"

gnugo=$(command -v gnugo || echo /usr/games/gnugo)
opponent="gtp:$gnugo --mode gtp --level 8 --chinese-rules --capture-all-dead --positional-superko --forbid-suicide"
value=$out/go9.linear
[[ -f $value ]] || "$dagzero" learn value go:size=9 --out "$value"

# Each row is played in matches of 20 games with seeds of their own, so an interrupted script goes on
# where it stopped. The last part adds them up.
row() {
  local name=$1 player=$2 part
  for ((part = 1; part <= (games + 19) / 20; part++)); do
    local file=$out/$name-$part.json
    [[ -s $file ]] && continue
    "$dagzero" match "$player" "$opponent" --game go:size=9 --games 20 --seed "$part" \
      --seconds 600 --json > "$file.part"
    mv "$file.part" "$file"
  done
}

row uniform rollout:3000
row mogo rollout:3000,policy=mogo
row mogo-rave rollout:3000,policy=mogo,selection=rave
# 50 visits are the paper's.
row mogo-rave-rlgo "rollout:3000,policy=mogo,selection=rave,equivalent_visits=50,heuristic=linear:$value"

python3 - "$out" <<'TABLE'
"""Adds up the matches of each row: score with a draw as half a win, and its Wilson interval."""
import json
import sys
from math import sqrt
from pathlib import Path

Z = 1.959964
for name in ["uniform", "mogo", "mogo-rave", "mogo-rave-rlgo"]:
    matches = [
        json.loads(file.read_text())
        for file in Path(sys.argv[1]).glob(f"{name}-*.json")
        if file.stem.removeprefix(f"{name}-").isdigit()
    ]
    games = sum(match["games"] for match in matches)
    if not games:
        continue
    wins, draws = (sum(match[key] for match in matches) for key in ("wins", "draws"))
    score = (wins + draws / 2) / games
    middle = (score + Z * Z / (2 * games)) / (1 + Z * Z / games)
    reach = Z / (1 + Z * Z / games) * sqrt(score * (1 - score) / games + (Z / (2 * games)) ** 2)
    crashes = sum(loss["games"] for match in matches for loss in match["forfeits"])
    print(
        f"{name:15} {wins} won, {draws} drawn, {games - wins - draws} lost: {score:.3f} "
        f"({middle - reach:.3f} to {middle + reach:.3f}); {crashes} forfeits"
    )
TABLE
