# What the kernel did for want of memory since the first run, which is before the pod is there. No program is started: each
# would have to be read from the slow disk.
[ "$watch" = reclaim ] || exit 0
proc=${PROC:-/proc} first=${FIRST:-/run/reclaim-first}
if [ -e "$first" ]; then
  read -r kswapd before < "$first"
else
  before='0 0 0 0 0 0'
  for comm in "$proc"/[0-9]*/comm; do
    read -r name < "$comm" || continue
    [ "$name" != kswapd0 ] || kswapd=${comm%/comm}
  done 2> /dev/null
fi
[ -n "$kswapd" ] || exit 1

refaults=0 faults=0 by_kswapd=0 directly=0 stalls=0
# shellcheck disable=SC2207
words=($(< "$proc/vmstat")) || exit 1
for ((word = 0; word < ${#words[@]}; word += 2)); do
  value=${words[word + 1]}
  case ${words[word]} in
    workingset_refault_file) refaults=$value ;;
    pgmajfault) faults=$value ;;
    pgscan_kswapd) by_kswapd=$value ;;
    pgscan_direct) directly=$value ;;
    allocstall_*) stalls=$((stalls + value)) ;; # one for each zone
  esac
done
# utime and stime, in hundredths of a second (proc(5)); the name of this thread has no space.
read -r -a stat < "$kswapd/stat" || exit 1
now=($refaults $faults $by_kswapd $directly $stalls $((stat[13] + stat[14])))
[ -e "$first" ] || { before=${now[*]} && echo "$kswapd $before" > "$first"; }
# shellcheck disable=SC2206
before=($before)
echo "file-refaults $((now[0] - before[0]))"
echo "major-faults $((now[1] - before[1]))"
echo "pages-scanned-by-kswapd $((now[2] - before[2]))"
echo "pages-scanned-directly $((now[3] - before[3]))"
echo "allocation-stalls $((now[4] - before[4]))"
used=$((now[5] - before[5]))
printf 'kswapd-cpu-s %d.%02d\n' $((used / 100)) $((used % 100))
