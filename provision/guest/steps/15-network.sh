# The network between the nodes: the unit was written to /etc/systemd/network/20-lan.network before. LAN_MAC, LAN_ADDRESS
# and LAN_ROUTES (pod subnets of the other nodes) are empty on a node alone.
if [ -n "${LAN_ADDRESS:-}" ]; then
  networkctl reload
  card=$(ip -o link | awk -v mac="$LAN_MAC" 'index($0, mac) {sub(":", "", $2); print $2}')
  [ -n "$card" ] || { echo "no network card has the address $LAN_MAC" >&2; exit 1; }
  deadline=$((SECONDS + 60))
  until ip -4 -o addr show dev "$card" | grep -qF " $LAN_ADDRESS/"; do
    [ $SECONDS -lt $deadline ] || { networkctl status "$card" --no-pager >&2; exit 1; }
    sleep 0.2
  done
  for route in $LAN_ROUTES; do
    until ip -4 route show "$route" dev "$card" | grep -q via; do
      [ $SECONDS -lt $deadline ] || { ip -4 route >&2; echo "no route to $route" >&2; exit 1; }
      sleep 0.2
    done
  done
fi
