#!/bin/sh
# Makes games that GNU Go 3.8 plays against itself, for `dagzero import`.
#
#   gnugo_games.sh OUT.sgf [GAMES] [LEVEL] [GAME] [SEED]
#
# 2,000 games of levels 1 and 3 on 7x7 by default, from openings of four random stones. GNU Go plays
# one position nearly always alike, so two equal levels would play each opening twice alike, too.
# `dagzero match` checks every move and counts the end. DAGZERO names the program.
set -eu
out=${1:?usage: gnugo_games.sh OUT.sgf [GAMES] [LEVEL] [GAME] [SEED]}
games=${2:-2000}
level=${3:-1}
other=$((level + 2))
game=${4:-go:size=7,komi=9}
seed=${5:-1}
rules='--chinese-rules --capture-all-dead --positional-superko --forbid-suicide'
PATH=$PATH:/usr/games
exec "${DAGZERO:-dagzero}" match \
    "gtp:gnugo --mode gtp --level $level $rules" \
    "gtp:gnugo --mode gtp --level $other $rules" \
    --game "$game" --games "$games" --opening-plies 4 --seed "$seed" --out "$out"
