# What supercronic says of the runs of its jobs, all of which end with status 0; from the log that the kubelet keeps.
# The log is piped: bash puts a here-string of 64 KiB and more into a file, for which the node may have no space.
[ -n "$VICTIM_PID" ] || exit 0
set -o pipefail
cat /var/log/pods/*/"$VICTIM_CONTAINER"/*.log | awk '
  /waitid: no child processes/ { failed++ }
  /job succeeded/ { succeeded++ }
  END { print "jobs-failed", failed + 0; print "jobs-ended", failed + succeeded }'
