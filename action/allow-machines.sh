#!/usr/bin/env bash
# Lets the user of a runner that is thrown away start machines and unpack root file systems. Root needs none of it.
# `whodunit doctor` names these lines, and never runs them: they change how safe a host is.
set -euo pipefail
[ "$(id -u)" -ne 0 ] || exit 0
user=$(id -un)

if [ -c /dev/kvm ] && [ ! -w /dev/kvm ]; then sudo chmod 666 /dev/kvm; fi
# Ubuntu 24.04: a user namespace of a normal user has no rights inside.
restriction=/proc/sys/kernel/apparmor_restrict_unprivileged_userns
if [ -e "$restriction" ]; then sudo sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0; fi
if ! grep -q "^$user:" /etc/subuid; then
  sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$user"
fi
