# The node's name and clock. NODE_NAME, NODE_ADDRESS, EPOCH (seconds).
if [ "$(hostname)" != "$NODE_NAME" ]; then
  echo "$NODE_NAME" > /etc/hostname
  hostname "$NODE_NAME"
fi
grep -q " $NODE_NAME\$" /etc/hosts || echo "$NODE_ADDRESS $NODE_NAME" >> /etc/hosts
date -u -s "@$EPOCH" > /dev/null
