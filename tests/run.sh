#!/usr/bin/env bash
# Installs what is missing, builds mote in every configuration that is tested, and runs all tests.
#   tests/run.sh            release build: unit, model and end-to-end tests, tidy, format
#   MOTE_TEST_ALL=1 tests/run.sh   also asan, tsan, clang, clang-tidy
#   tests/run.sh NAME       only release-build tests and end-to-end cases whose name matches NAME
# Ends with one line: "tests: N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.."
filter="${1:-}"
concurrent="test_set test_store test_memory test_metacache test_server"  # the tests labelled so in tests/CMakeLists.txt
passed=0 failed=0 skipped=0
failures=()
started=$SECONDS

note() { printf '\n=== %s (%d s)\n' "$*" $((SECONDS - started)); }

# step NAME COMMAND...: one check that passes or fails as a whole.
step() {
  local name="$1"
  shift
  note "$name"
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    failures+=("$name")
  fi
}

finish() {
  local failure
  for failure in "${failures[@]:-}"; do
    [ -n "$failure" ] && echo "FAILED: $failure"
  done
  echo "took $((SECONDS - started)) s"
  echo "tests: $passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
  exit $?
}

# build PRESET [TARGET...]: quiet unless it fails.
build() {
  local preset="$1" log
  shift
  log=$(mktemp)
  if cmake --preset "$preset" >"$log" 2>&1 && cmake --build --preset "$preset" ${1:+--target "$@"} >"$log" 2>&1; then
    rm -f "$log"
    return 0
  fi
  tail -80 "$log"
  rm -f "$log"
  return 1
}

# suite PRESET [ctest arguments]: counts CTest's tests one by one.
suite() {
  local preset="$1" log line
  shift
  log=$(mktemp)
  note "unit tests, $preset"
  ctest --test-dir "build/$preset" --output-on-failure "$@" 2>&1 | tee "$log" | grep -Ev '^(Internal|UpdateCTest)'
  while read -r line; do
    case "$line" in
      *'***Skipped'*) skipped=$((skipped + 1)) ;;
      *' Passed '*) passed=$((passed + 1)) ;;
      *Test*'#'*'***'*)
        failed=$((failed + 1))
        failures+=("$preset: $line")
        ;;
    esac
  done < <(grep -E '^ *[0-9]+/[0-9]+ Test' "$log")
  rm -f "$log"
}

# end_to_end [ARGS]: tests/e2e/run.py prints "e2e: N passed, N failed, N skipped" as its last line.
end_to_end() {
  local log counts
  log=$(mktemp)
  note "end to end"
  python3 tests/e2e/run.py "$@" 2>&1 | tee "$log"
  counts=$(grep -E '^e2e: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1)
  if [ -z "$counts" ]; then
    failed=$((failed + 1))
    failures+=("e2e: the runner did not finish")
  else
    passed=$((passed + $(cut -d' ' -f2 <<<"$counts")))
    failed=$((failed + $(cut -d' ' -f4 <<<"$counts")))
    skipped=$((skipped + $(cut -d' ' -f6 <<<"$counts")))
    while read -r line; do failures+=("$line"); done < <(grep -E '^FAIL ' "$log")
  fi
  rm -f "$log"
}

. deploy/install.sh
if ! install_missing deploy/packages.txt tests/packages.txt; then
  failed=1
  failures+=("installing packages")
  finish
fi

# The rest of the time budget (seconds) decides which of the long checks still start: on a machine that
# compiles everything anew they do not all fit. What is left out is counted as skipped and named.
budget="${MOTE_TEST_BUDGET:-4200}"
room() {
  local need="$1" name="$2"
  if [ $((SECONDS - started + need)) -le "$budget" ]; then
    return 0
  fi
  echo "SKIPPED: $name: needs about $need s and the budget of $budget s has $((budget - SECONDS + started)) s left"
  skipped=$((skipped + 1))
  return 1
}

step "build, release" build release
[ "$failed" -eq 0 ] || finish
if [ -n "$filter" ]; then
  suite release -R "$filter"
  end_to_end --filter "$filter"
  finish
fi
suite release
end_to_end
step "sources are tidy" python3 tests/tidy/tidy.py
step "the tidy checks can fail" python3 tests/tidy/tidy_test.py
step "sources are formatted" bash tests/tidy/format.sh
# Sanitizers, clang and clang-tidy run when asked for: they have not been brought to a clean run yet.
if [ -z "${MOTE_TEST_ALL:-}" ]; then
  echo "SKIPPED: asan, tsan, clang, clang-tidy (set MOTE_TEST_ALL=1)"
  skipped=$((skipped + 4))
  finish
fi
if room 1500 "asan"; then
  step "build, asan" build asan
  suite asan
fi
if room 1200 "tsan"; then
  step "build, tsan" build tsan $concurrent
  suite tsan -L concurrent
fi
room 900 "build with clang" && step "build, clang" build clang
room 900 "clang-tidy" && step "clang-tidy" bash tests/tidy/clang_tidy.sh
finish
