# said NAME FROM TO: says how long something took, in a line that the benchmark reads; times in seconds since the epoch.
said() { awk -v name="$1" -v from="$2" -v to="$3" 'BEGIN { printf "%s\t%.1f\n", name, to - from }'; }
# took NAME COMMAND...: runs a command and says how long it took.
took() {
  local name=$1 from=$EPOCHREALTIME
  shift
  "$@" >&2
  said "$name" "$from" "$EPOCHREALTIME"
}
