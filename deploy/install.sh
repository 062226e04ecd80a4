#!/usr/bin/env bash
# Sourced by deploy/run.sh and tests/run.sh: installs the Debian packages named in the given list files
# that are missing. Says what and why; does nothing, and needs no root, when nothing is missing.
install_missing() {
  local missing=() package
  while read -r package; do
    case "$package" in '' | '#'*) continue ;; esac
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
      missing+=("$package")
    fi
  done < <(cat "$@")
  if [ ${#missing[@]} -eq 0 ]; then
    return 0
  fi
  echo "mote: installing Debian packages needed for this step: ${missing[*]}"
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
