#!/usr/bin/env bash
# The table of Gelly and Silver (Combining Online and Offline Knowledge in UCT, ICML 2007) with our
# players: 9x9 Go against GNU Go 3.8 level 8, 3,000 simulations a move.
#
#   benchmarks/gelly-silver.sh DAGZERO OUT [GAMES]
#
# DAGZERO is the program. OUT is a folder for the value function and the matches. GAMES is the number
# of games in a row of the table (200). GNU Go is Debian's package `gnugo`. A row takes about ten
# minutes on two idle cores. GNU Go plays by level and not by time, and --seconds is long, so a busy
# machine does not change the results.
set -euo pipefail
dagzero=$1
out=$2
games=${3:-200}
mkdir -p "$out"

gnugo=$(command -v gnugo || echo /usr/games/gnugo)
opponent="gtp:$gnugo --mode gtp --level 8 --chinese-rules --capture-all-dead --positional-superko --forbid-suicide"
value=$out/go9.linear
[[ -f $value ]] || "$dagzero" learn value go:size=9 --out "$value"

row() {
  local name=$1 player=$2
  [[ -f $out/$name.json ]] && return
  "$dagzero" match "$player" "$opponent" --game go:size=9 --games "$games" --seconds 600 --json \
    > "$out/$name.part"
  mv "$out/$name.part" "$out/$name.json"
}

row uniform rollout:3000
row mogo rollout:3000,policy=mogo
row mogo-rave rollout:3000,policy=mogo,selection=rave
row mogo-rave-rlgo "rollout:3000,policy=mogo,selection=rave,equivalent_visits=50,heuristic=linear:$value"
