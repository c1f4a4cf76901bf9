#!/bin/bash
# Runs a command where libvirt, its networks and its machines are our own: sockets, state and interfaces end with it.
# OWN=folder ACCELERATOR=tcg enter.sh COMMAND...
set -euo pipefail
mkdir -p "$OWN"/{run,home,tmp,libvirt,log,etc,dev}
cp /etc/libvirt/*.conf "$OWN/etc/"
# libvirt would give a machine a /dev of its own, which it cannot make of the one below. As root QEMU reads every folder.
printf 'namespaces = []\nuser = "root"\ngroup = "root"\n' >> "$OWN/etc/qemu.conf"
# A device that is there but does not work makes both peers choose it; without it they emulate, as the lab does.
exec unshare --net --mount --pid --fork --kill-child --mount-proc bash -euc '
mount -t tmpfs run /run
mount --bind "$OWN/libvirt" /var/lib/libvirt
mount --bind "$OWN/etc" /etc/libvirt
mount --bind "$OWN/log" /var/log/libvirt
if [ "$ACCELERATOR" = tcg ] && [ -e /dev/kvm ]; then
  mount -t tmpfs dev "$OWN/dev"
  cp -a /dev/{null,zero,full,random,urandom,tty,ptmx,loop-control} "$OWN/dev" 2> /dev/null || true
  mkdir "$OWN"/dev/{pts,shm,net}
  cp -a /dev/net/tun "$OWN/dev/net/"
  mount --rbind /dev/pts "$OWN/dev/pts"
  mount --rbind /dev/shm "$OWN/dev/shm"
  mount --move "$OWN/dev" /dev
fi
ip link set lo up
export HOME=$OWN/home XDG_RUNTIME_DIR=$OWN/run TMPDIR=$OWN/tmp
virtlogd --daemon
libvirtd --daemon
exec "$@"
' enter "$@"
