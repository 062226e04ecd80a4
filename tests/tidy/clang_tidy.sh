#!/usr/bin/env bash
# clang-tidy over the product's sources, two at a time. Results are remembered per file content (with all
# its project includes), so that a second run checks only what changed.
set -uo pipefail
cd "$(dirname "$0")/../.."
cache="${MOTE_TIDY_CACHE:-build/tidy-cache}"
mkdir -p "$cache"
export cache
check() {
  local file="$1" key
  key=$({ cat .clang-tidy "$file"; clang++ -std=c++20 -I. -MM "$file" 2>/dev/null | tr ' \\' '\n\n' |
    grep -E '^(server|erasure|metacache|bench)/' | sort -u | xargs cat; } | sha256sum | cut -d' ' -f1)
  [ -e "$cache/$key" ] && return 0
  if clang-tidy --quiet -p build/clang "$file" 2>/dev/null; then
    touch "$cache/$key"
  else
    echo "clang-tidy: $file"
    return 1
  fi
}
export -f check
git ls-files 'erasure/*.cc' 'metacache/*.cc' 'server/*.cc' | grep -v boost_src | xargs -P "$(nproc)" -I{} bash -c 'check {}'
