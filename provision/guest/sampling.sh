# Runs samplers until it gets SIGTERM: `sample <name> <interval ms> <limit ms>`, each a loop of its own with its script in
# $SAMPLING/<name>.sh. Each run is one line of JSON that is written at once, so that lines of several loops do not mix
# (PIPE_BUF, pipe(7)). Names are in capitals: those of parameters, which scripts read, begin with a small letter.

export LC_ALL=C
SAMPLING=$(mktemp -d -p "${SAMPLING_IN:-/run}")
LOOPS=
read -r BOOT < /proc/sys/kernel/random/boot_id
export TASKS=${TASKS:-/run/containerd/io.containerd.runtime.v2.task/k8s.io}

# NOW: milliseconds since boot; UPTIME: the same in seconds. No program is started for it.
look_at_clock() {
  read -r UPTIME _ < /proc/uptime
  NOW=$((10#${UPTIME/./} * 10))
}

# SECONDS_OF: milliseconds as seconds with three decimals.
to_seconds() {
  printf -v SECONDS_OF '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
}

# TEXT: a text as JSON has it between quotes.
escape() {
  TEXT=${1//\\/\\\\}
  TEXT=${TEXT//\"/\\\"}
  TEXT=${TEXT//$'\n'/\\n}
  TEXT=${TEXT//[[:cntrl:]]/ }
}

# VICTIM_PID and VICTIM_CGROUP: first process of the newest container of that name, from the bundles that containerd makes
# for its shims; empty while there is none.
find_victim() {
  [ -z "$VICTIM_PID" ] || [ ! -d "/proc/$VICTIM_PID" ] || return 0
  VICTIM_PID='' VICTIM_CGROUP=''
  local CONFIG NEWEST='' CONTROLLERS CGROUP
  while read -r CONFIG; do
    if [ -z "$NEWEST" ] || [ "$CONFIG" -nt "$NEWEST" ]; then NEWEST=$CONFIG; fi
  done < <(grep -lsF "\"io.kubernetes.cri.container-name\":\"$VICTIM_CONTAINER\"" "$TASKS"/*/config.json)
  [ -n "$NEWEST" ] || return 0
  read -r VICTIM_PID < "${NEWEST%config.json}init.pid" || [ -n "$VICTIM_PID" ] || return 0
  # The line of cgroup v2 has no controllers; in a hybrid hierarchy the one with the memory controller counts.
  while IFS=: read -r _ CONTROLLERS CGROUP; do
    case ",$CONTROLLERS," in
      *,memory,*) VICTIM_CGROUP=$CGROUP && break ;;
      ,,) VICTIM_CGROUP=$CGROUP ;;
    esac
  done < "/proc/$VICTIM_PID/cgroup"
  [ -n "$VICTIM_CGROUP" ] || VICTIM_PID=''
}

end_loop() {
  kill "$CHILD" 2> /dev/null
  look_at_clock
  printf '{"kind":"stop","sampler":"%s","wall":%s,"uptime":%s,"runs":%s}\n' "$1" "$EPOCHREALTIME" "$UPTIME" "$2"
  exit 0
}

sample() {
  local NAME=$1 EVERY=$2 LIMIT=$3 FILE=$SAMPLING/$1 RUNS=0 DUE FROM STATUS OUT ERR MARKS
  export VICTIM_PID='' VICTIM_CGROUP=''
  CHILD=''
  trap 'end_loop "$NAME" "$RUNS"' TERM
  look_at_clock
  DUE=$NOW
  printf '{"kind":"start","sampler":"%s","boot":"%s","wall":%s,"uptime":%s,"everyMs":%s,"timeoutMs":%s}\n' \
    "$NAME" "$BOOT" "$EPOCHREALTIME" "$UPTIME" "$EVERY" "$LIMIT"
  while :; do
    find_victim 2> /dev/null
    look_at_clock
    FROM=$NOW
    to_seconds "$LIMIT"
    {
      ulimit -f 64 # an endless output fills nothing
      exec timeout -k 1 "$SECONDS_OF" bash "$FILE.sh" < /dev/null > "$FILE.out" 2> "$FILE.err"
    } &
    CHILD=$!
    STATUS=0
    wait "$CHILD" || STATUS=$?
    look_at_clock
    to_seconds $((NOW - FROM))
    # 1500 and 200 bytes, all of them escaped, and the rest of the line fit into PIPE_BUF.
    OUT='' ERR='' MARKS=''
    IFS= read -r -N 1501 OUT < "$FILE.out"
    IFS= read -r -N 200 ERR < "$FILE.err"
    [ "${#OUT}" -le 1500 ] || { OUT=${OUT:0:1500} && MARKS=',"cut":true'; }
    # What it looked at went away under its hands.
    [ "$STATUS" = 0 ] || [ -z "$VICTIM_PID" ] || [ -d "/proc/$VICTIM_PID" ] || MARKS=$MARKS',"victimEnded":true'
    escape "$OUT" && OUT=$TEXT
    escape "$ERR" && ERR=$TEXT
    printf '{"kind":"run","sampler":"%s","n":%s,"wall":%s,"uptime":%s,"took":%s,"status":%s,"cgroup":"%s","out":"%s","err":"%s"%s}\n' \
      "$NAME" $((RUNS + 1)) "$EPOCHREALTIME" "$UPTIME" "$SECONDS_OF" "$STATUS" "$VICTIM_CGROUP" "$OUT" "$ERR" "$MARKS"
    RUNS=$((RUNS + 1)) # after its line: whoever is ended in between must not promise a line that is not there
    # A tick that was missed is not made up for.
    DUE=$((DUE + EVERY))
    [ "$DUE" -ge "$NOW" ] || DUE=$NOW
    to_seconds $((DUE - NOW))
    sleep "$SECONDS_OF" &
    CHILD=$!
    wait "$CHILD" || :
  done
}

# Only a loop knows how often it ran: each says so itself when it is ended.
end_all() {
  # shellcheck disable=SC2086
  kill $LOOPS 2> /dev/null
  wait
  rm -rf "$SAMPLING"
  exit 0
}
trap end_all TERM
