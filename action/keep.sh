#!/usr/bin/env bash
# Puts the newest run into the folder that is named: its page, JUnit, and all of it packed, without what looks like a secret.
set -euo pipefail
whodunit() { node "$(dirname "$0")/../bin/whodunit.mjs" "$@"; }

mkdir -p "$1"
whodunit report --format html >"$1/report.html"
whodunit report --format junit >"$1/junit.xml"
whodunit export latest --out "$1/run.tar.gz"
