#!/usr/bin/env bash
# A conversation in the text dialect, as a person has it with netcat. bash opens the connection itself.
#
#   netcat.sh [PORT]
set -euo pipefail

exec 3<>"/dev/tcp/127.0.0.1/${1:-4321}"

ask() {
    printf '> %s\n' "$1"
    printf '%s\n' "$1" >&3
    while IFS= read -r line <&3; do
        printf '%s\n' "$line"
        case $line in ok | ok\ * | error\ *) return ;; esac # the last line of every reply
    done
}

ask 'position start'
ask 'moves 31'
ask 'best 31'
ask 'check 66 24/18 13/7'
ask 'cube'
ask 'convert to=xgid'
ask 'show'
ask 'quit'
