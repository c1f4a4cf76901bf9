# took NAME COMMAND...: runs a command and says how long it took, in a line that the benchmark reads.
took() {
  local name=$1 from=$EPOCHREALTIME
  shift
  "$@" >&2
  awk -v name="$name" -v from="$from" -v to="$EPOCHREALTIME" 'BEGIN { printf "%s\t%.1f\n", name, to - from }'
}
