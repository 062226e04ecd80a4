#!/usr/bin/env bash
# Every C++ file is as clang-format 14 writes it. Repair: git ls-files '*.cc' '*.h' | xargs clang-format -i
set -euo pipefail
cd "$(dirname "$0")/../.."
git ls-files '*.cc' '*.h' | xargs clang-format --dry-run --Werror
