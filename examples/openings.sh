#!/usr/bin/env bash
# Many questions at once from a shell: each has a tag, the answers come as they are ready and say whose they are.
#
#   openings.sh [PORT]
set -euo pipefail

exec 3<>"/dev/tcp/127.0.0.1/${1:-4321}"

rolls=(21 31 41 51 61 32 42 52 62 43 53 63 54 64 65)
for roll in "${rolls[@]}"; do
    printf '#%s best %s position=start plies=1\n' "$roll" "$roll"
done >&3

answered=0
while ((answered < ${#rolls[@]})) && read -r tag word rest <&3; do
    case $word in
        ok) printf '%s %s\n' "${tag#\#}" "$rest" && answered=$((answered + 1)) ;;
        error) printf '%s: %s\n' "$tag" "$rest" >&2 && exit 1 ;;
    esac
done | sort
