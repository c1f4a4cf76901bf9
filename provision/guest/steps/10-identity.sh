# The node's name and clock. NODE_NAME, NODE_ADDRESS, EPOCH (seconds), LAN_HOSTS (lines of /etc/hosts for other nodes).
if [ "$(hostname)" != "$NODE_NAME" ]; then
  echo "$NODE_NAME" > /etc/hostname
  hostname "$NODE_NAME"
fi
while read -r address name; do
  [ -n "$name" ] || continue
  grep -qxF "$address $name" /etc/hosts && continue
  sed -i "/ $name\$/d" /etc/hosts
  echo "$address $name" >> /etc/hosts
done <<< "$NODE_ADDRESS $NODE_NAME"$'\n'"${LAN_HOSTS:-}"
date -u -s "@$EPOCH" > /dev/null
