# What supercronic says of the runs of its jobs, all of which end with status 0; from the log that the kubelet keeps.
[ -n "$VICTIM_PID" ] || exit 0
log=$(cat /var/log/pods/*/"$VICTIM_CONTAINER"/*.log) || exit
failed=$(grep -c 'waitid: no child processes' <<< "$log")
echo "jobs-failed $failed"
echo "jobs-ended $((failed + $(grep -c 'job succeeded' <<< "$log")))"
