#!/usr/bin/env bash
# GNU Backgammon plays a match against bgd and writes the record. Needs gnubg (Debian's package is `gnubg`).
#
#   gnubg_against_bgd.sh [PORT [LENGTH [RECORD]]]
set -euo pipefail

port=${1:-4321} length=${2:-3} record=${3:-match.mat}
PATH=$PATH:/usr/games # where Debian installs it

gnubg -t -q -r >/dev/null <<END
set automatic game on
set automatic roll on
set display off
set confirm save off
set defaultnames bgd gnubg
set player 0 external localhost:$port
set player 1 gnubg
set player 1 chequer evaluation plies 0
set player 1 cube evaluation plies 0
new match $length
export match mat $record
quit
y
END

cat "$record"
