#!/usr/bin/env bash
# Installs what is missing, builds mote, serves S3. Run it again any time: it only does what is left to do.
#   deploy/run.sh [flags of `mote server`]      MOTE_* variables pass through (mote server --help)
#   MOTE_DRIVES="/mnt/d1 /mnt/d2"               drives; without it one drive, ./data
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/install.sh
install_missing deploy/packages.txt
echo "mote: building (first time: a few minutes)"
cmake --preset release >build-release.log 2>&1 || { cat build-release.log; exit 1; }
cmake --build --preset release --target mote >build-release.log 2>&1 || { tail -50 build-release.log; exit 1; }
rm -f build-release.log
if [ -z "${MOTE_DRIVES:-}" ] && [ "${MOTE_MEMORY:-}" = "" ] && [ $# -eq 0 ]; then
  mkdir -p data
  export MOTE_DRIVES="$PWD/data"
fi
exec build/release/mote server "$@"
