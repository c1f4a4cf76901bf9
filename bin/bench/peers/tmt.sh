#!/bin/bash
# In the namespaces of enter.sh: times tmt with its virtual provision, and further verdicts in the same guest.
# SHARED has the disk and the scripts, OWN is its own folder.
set -euo pipefail
export TMT_WORKDIR_ROOT=$OWN
mkdir -p "$OWN/tree"
cd "$OWN/tree"
cp "$SHARED"/{make-cluster,judge}.sh .
tmt init >&2
cat > node.fmf <<END
provision: { how: virtual, image: 'file://$SHARED/node.qcow2', connection: session, memory: $MEMORY_MIB, disk: 8, user: root, key: $KEY }
prepare: { how: shell, script: bash make-cluster.sh }
discover:
  how: shell
  tests:
$(for name in verdict again-1 again-2 again-3; do echo "    - { name: $name, test: 'bash \$TMT_TREE/judge.sh', duration: 1h }"; done)
execute: { how: tmt }
END
from=$EPOCHREALTIME
tmt run --all --id "$OWN/run" >&2
# Its own times of each test, so that its start counts once: that is in its favour.
results=$(find "$OWN/run" -path '*/execute/results.yaml')
time_of() { sed -n "s/^ *$1-time: *'\?\([^']*\).*/\1/p" "$results" | sed -n "$2p" | xargs -I {} date -d {} +%s.%N; }
said 'tmt node and verdict' "$from" "$(time_of end 1)"
for number in 2 3 4; do said 'tmt verdict again' "$(time_of start $number)" "$(time_of end $number)"; done
