# The second stage of baking: turns a root file system tar into a disk image with everything preloaded.
# Runs in its own mount and process namespace, as root or as root of a user namespace; needs no device nodes.
#
#   bake.sh WORK ROOTFS_TAR DISK_MIB
#
# Reads from WORK:  files/ (tree to copy), programs (lines: source TAB path in the guest), out/id_ed25519.pub,
#                   ssh_host_ed25519_key, replaced-packages (Debian packages whose programs components replace),
#                   kernel-tar (path of another suite's kernel; absent: the suite's own),
#                   store (path of containerd's filled store) or container-images/*.tar to fill a new one
# Writes to WORK:   out/base.raw out/vmlinuz out/initrd.img, versions (lines: name TAB value),
#                   new-store/ (unless a store was given)
set -eu
umask 022
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
work=$1 rootfs=$2 disk_mib=$3
root=$work/root
here=$(dirname "$0")
say() { echo "bake: $*"; }

say 'unpacking the root file system'
mkdir "$root"
# A user namespace may not make device nodes; the guest's kernel fills /dev anyway.
tar -C "$root" --numeric-owner --exclude='./dev/*' -xpf "$rootfs"
mount --rbind /dev "$root/dev"
# Of this process namespace: with the one outside, a program looks for itself under the number of another process.
mount -t proc proc "$root/proc"

say 'installing files and programs'
cp -r --no-preserve=mode,ownership "$work/files/." "$root/"
# The programs of a replaced package go, all of them, so that nothing can start the suite's by accident. Its unit and
# its other files stay.
for package in $(cat "$work/replaced-packages"); do
  chroot "$root" dpkg -L "$package" | grep -E '^(/usr)?/s?bin/.' | while read -r path; do rm -f "$root$path"; done
done
while IFS='	' read -r source target; do
  install -D -m 755 "$source" "$root/$target"
done <"$work/programs"
mkdir -p -m 700 "$root/root/.ssh"
install -m 600 "$work/out/id_ed25519.pub" "$root/root/.ssh/authorized_keys"
install -m 600 "$work/ssh_host_ed25519_key" "$root/etc/ssh/ssh_host_ed25519_key"
# Empty: systemd writes the node's own id here at boot, and does not take the boot for a first one (machine-id(5)).
: >"$root/etc/machine-id"
mkdir -p "$root/var/log/journal" "$root/etc/kubernetes/manifests" "$root/var/lib/kubelet"
rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/* "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*

say 'choosing services'
chroot "$root" systemctl --quiet enable containerd.service kubelet.service ssh.service systemd-networkd.service
# Nothing here is needed to run pods, and each unit costs time at boot or wakes up in the middle of a scenario.
chroot "$root" systemctl --quiet mask $(cat "$work/masked-units")
for generator in $(cat "$work/masked-generators"); do
  mkdir -p "$root/etc/systemd/system-generators"
  ln -s /dev/null "$root/etc/systemd/system-generators/$generator"
done

if [ -e "$work/kernel-tar" ]; then
  say 'installing the kernel of another suite'
  . "$here/replace-kernel.sh"
fi

if [ -e "$work/store" ]; then
  store=$(cat "$work/store")
else
  say 'preloading container images'
  store=$work/new-store
  . "$here/preload.sh"
fi

say 'reading versions back'
release=$(ls "$root/lib/modules")
# A program that a variant does not have is left out.
version_of() {
  [ ! -e "$root/$2" ] || printf '%s\t%s\n' "$1" "$(chroot "$root" "/$2" --version | awk "$3")"
}
{
  printf 'kernel\t%s\n' "$release"
  printf 'kubeadm\t%s\n' "$(chroot "$root" kubeadm version -o short | sed 's/^v//')"
  version_of kubelet usr/bin/kubelet '{sub(/^v/, "", $2); print $2}'
  version_of containerd usr/bin/containerd '{sub(/^v/, "", $3); print $3}'
  printf 'runc\t%s\n' "$(chroot "$root" runc --version | awk 'NR == 1 {print $3}')"
  version_of runc-under-test usr/local/lib/whodunit/under-test/runc 'NR == 1 {print $3}'
  version_of crun usr/bin/crun 'NR == 1 {print $3}'
  version_of runsc usr/bin/runsc 'NR == 1 {print $3}'
  version_of runsc usr/local/bin/runsc 'NR == 1 {print $3}'
  version_of crictl usr/bin/crictl '{sub(/^v/, "", $3); print $3}'
  printf 'systemd\t%s\n' "$(chroot "$root" systemctl --version | awk 'NR == 1 {print $2}')"
  for package in containerd crun iptables openssh-server runc runsc systemd; do
    grep -qx "$package" "$work/replaced-packages" ||
      chroot "$root" dpkg-query -W -f '${Package}-package\t${Version}\n' "$package" 2>/dev/null || true
  done
} >"$work/versions"

say 'writing the disk image'
mv "$root/boot/vmlinuz-$release" "$work/out/vmlinuz"
mv "$root/boot/initrd.img-$release" "$work/out/initrd.img"
# A plain bind mount shows the root without what is mounted on it; containerd's store joins it without a copy.
mkdir -p "$work/bare" "$root/var/lib/containerd"
mount --bind "$root" "$work/bare"
mount --bind "$store" "$work/bare/var/lib/containerd"
# orphan_file and metadata_csum_seed are unknown to the kernels and e2fsprogs of older suites; tables are written now
# so that no kernel thread writes them during a scenario.
mke2fs -q -t ext4 -L whodunit -m 0 -O ^orphan_file,^metadata_csum_seed \
  -E lazy_itable_init=0,lazy_journal_init=0 -d "$work/bare" "$work/out/base.raw" "${disk_mib}M"
chmod 644 "$work"/out/base.raw "$work"/out/vmlinuz "$work"/out/initrd.img
say 'done'
