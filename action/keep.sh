#!/usr/bin/env bash
# Puts the newest run into the folder that is named: its page, JUnit, and all of it packed, without what looks like a secret.
# What a gate has saved there is kept, and its page is shown in the summary of the job.
set -euo pipefail
whodunit() { node "$(dirname "$0")/../bin/whodunit.mjs" "$@"; }

mkdir -p "$1"
if [ -f "$1/gate.md" ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$1/gate.md" >>"$GITHUB_STEP_SUMMARY"; fi
whodunit report --format html >"$1/report.html"
whodunit report --format junit >"$1/junit.xml"
# 2: no cell was run, so there is nothing to pack.
whodunit export latest --out "$1/run.tar.gz" || [ $? -eq 2 ]
