# How often the bystander was started again, and how long before its last death systemd had been asked to change a unit.
# A unit that the first run starts writes down the times of both, `asked <s>` and `died <s>`: a sampler looks too seldom.
told=${TOLD:-/run/told}
if [ ! -e "$told" ]; then
  systemd-run --quiet --unit=told --property="StandardOutput=file:$told" bash -c '
    while :; do
      if pid=$(pgrep --full --newest "^/bin/sleeper --after"); then
        tail --pid="$pid" --sleep-interval=0.2 --follow /dev/null
        echo "died $EPOCHREALTIME"
      fi
      sleep 0.5
    done &
    stdbuf --output=L busctl monitor --match="member='\''SetUnitProperties'\''" | while read -r line; do
      case $line in *Type=method_call*) echo "asked $EPOCHREALTIME" ;; esac
    done
    exit 1' || exit 1
fi
systemctl --quiet is-active told.service || exit 1

# The kubelet names a log by how often it has started the container before.
restarts=
for log in "${PODS:-/var/log/pods}"/default_bystander_*/bystander/*.log; do
  number=${log##*/}
  number=${number%.log}
  [[ $number =~ ^[0-9]+$ ]] || continue
  ((number <= ${restarts:--1})) || restarts=$number
done
[ -z "$restarts" ] || echo "bystander-restarts $restarts"
[ ! -e "$told" ] || awk '
  $1 == "asked" { asked = $2 }
  $1 == "died" && asked { between = $2 - asked; known = 1 }
  END { if (known) printf "request-to-kill-s %.1f\n", between }' "$told"
