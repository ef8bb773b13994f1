#!/usr/bin/env bash
# Ask in shards, one process each, join them, judge the whole. All arguments go to pytest:
#
#   BASELINE=main docs/ci/shards.sh -k constants --model=sim/mixed
#
# SHARDS (4), RUN (ci: reports/ci-1 ... and, joined, reports/ci), BASELINE (a name in baselines/, or a file), GATE (a file
# of rules; the suite's own), BIN (.venv/bin). Exit status: the gate's, 0 held, 10 regressed, 11 cannot decide; with
# neither BASELINE nor GATE 0 when all was answered, else 1; that of pytest or merge where one could not do its work.
# What a shard could not ask is left to the gate. Typed again it asks only what is missing.
set -uo pipefail
shards=${SHARDS:-4} run=${RUN:-ci} bin=${BIN:-.venv/bin}

mkdir -p reports
processes=()
for ((i = 1; i <= shards; i++)); do
  "$bin/python" -m pytest evals --shard="$i/$shards" --run="$run-$i" "$@" >"reports/$run-$i.log" 2>&1 &
  processes+=("$!")
done

# A shell without job control keeps Ctrl-C from what it starts in the background. What was answered is kept.
trap 'kill "${processes[@]}" 2>/dev/null; wait; exit 130' INT TERM

failed=0
for ((i = 1; i <= shards; i++)); do
  status=0
  wait "${processes[i - 1]}" || status=$?
  echo "shard $i/$shards: status $status, reports/$run-$i.log"
  case $status in
    0 | 1 | 5 | 12) ;; # all asked; errors; no case for this shard; over budget
    *) tail -n 20 "reports/$run-$i.log" >&2 && failed=$status ;;
  esac
done
((failed == 0)) || exit "$failed"

runs=()
for ((i = 1; i <= shards; i++)); do
  [[ -f reports/$run-$i/run.json ]] && runs+=("reports/$run-$i")
done
if ((${#runs[@]} == 0)); then
  tail -n 20 "reports/$run-1.log" >&2
  exit 5 # nothing was selected
fi
merged=0
"$bin/pytest-redefine" merge "${runs[@]}" --run="$run" || merged=$?
((merged <= 1)) || exit "$merged"

[[ -n ${BASELINE:-}${GATE:-} ]] || exit "$merged"
"$bin/pytest-redefine" gate "$run" ${GATE:+--gate="$GATE"} ${BASELINE:+--baseline="$BASELINE"}
