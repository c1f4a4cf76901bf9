# The second stage of baking: turns a root file system tar into a disk image with everything preloaded.
# Runs in its own mount and process namespace, as root or as root of a user namespace; needs no device nodes.
#
#   bake.sh WORK ROOTFS_TAR DISK_MIB
#
# Reads from WORK:  files/ (tree to copy), programs (lines: source TAB path in the guest), container-images/*.tar,
#                   machine-id, out/id_ed25519.pub, ssh_host_ed25519_key
# Writes to WORK:   out/base.qcow2 out/vmlinuz out/initrd.img, versions (lines: name TAB value), images (names)
set -eu
umask 022
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
work=$1 rootfs=$2 disk_mib=$3
root=$work/root
say() { echo "bake: $*"; }

say 'unpacking the root file system'
mkdir "$root"
# A user namespace may not make device nodes; the guest's kernel fills /dev anyway.
tar -C "$root" --numeric-owner --exclude='./dev/*' -xpf "$rootfs"

say 'installing files and programs'
cp -r --no-preserve=mode,ownership "$work/files/." "$root/"
while IFS='	' read -r source target; do
  install -D -m 755 "$source" "$root/$target"
done <"$work/programs"
mkdir -p -m 700 "$root/root/.ssh"
install -m 600 "$work/out/id_ed25519.pub" "$root/root/.ssh/authorized_keys"
install -m 600 "$work/ssh_host_ed25519_key" "$root/etc/ssh/ssh_host_ed25519_key"
install -m 444 "$work/machine-id" "$root/etc/machine-id"
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

say 'preloading container images'
mkdir -p "$root/run/bake"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
cat >"$root/run/bake/config.toml" <<'EOF'
version = 2
state = "/run/bake/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = "/run/bake/containerd.sock"
EOF
ctr() { chroot "$root" ctr --address /run/bake/containerd.sock --namespace k8s.io "$@"; }
chroot "$root" containerd --config /run/bake/config.toml >"$work/containerd.log" 2>&1 &
containerd=$!
looks=0
until ctr version >/dev/null 2>&1; do
  looks=$((looks + 1))
  if [ $looks -gt 300 ] || ! kill -0 $containerd 2>/dev/null; then
    tail -n 20 "$work/containerd.log" >&2
    echo 'containerd did not start' >&2
    exit 1
  fi
  sleep 0.1
done
for tar in "$work"/container-images/*.tar; do
  ctr images import - <"$tar" >/dev/null
  rm "$tar"
done
# The check fails on an image that is incomplete or not unpacked: such an image could not start without a registry.
ctr images check | tail -n +2 >"$work/images.check"
if grep -v 'complete.*true *$' "$work/images.check" >&2; then
  echo 'an image is incomplete or not unpacked' >&2
  exit 1
fi
ctr images ls -q >"$work/images"
kill -TERM $containerd
wait $containerd || { tail -n 20 "$work/containerd.log" >&2; exit 1; }

say 'reading versions back'
release=$(ls "$root/lib/modules")
{
  printf 'kernel\t%s\n' "$release"
  printf 'kubelet\t%s\n' "$(chroot "$root" kubelet --version | sed 's/^Kubernetes v*//')"
  printf 'kubeadm\t%s\n' "$(chroot "$root" kubeadm version -o short | sed 's/^v//')"
  printf 'containerd\t%s\n' "$(chroot "$root" containerd --version | awk '{print $3}')"
  printf 'runc\t%s\n' "$(chroot "$root" runc --version | awk 'NR == 1 {print $3}')"
  printf 'systemd\t%s\n' "$(chroot "$root" systemctl --version | awk 'NR == 1 {print $2}')"
  chroot "$root" dpkg-query -W -f '${Package}-package\t${Version}\n' containerd iptables openssh-server runc systemd
} >"$work/versions"

say 'writing the disk image'
mv "$root/boot/vmlinuz-$release" "$work/out/vmlinuz"
mv "$root/boot/initrd.img-$release" "$work/out/initrd.img"
rm -rf "$root/run/bake"
# A plain bind mount shows the root without what is mounted on it.
mkdir "$work/bare"
mount --bind "$root" "$work/bare"
# orphan_file and metadata_csum_seed are unknown to the kernels and e2fsprogs of older suites; tables are written now
# so that no kernel thread writes them during a scenario.
mke2fs -q -t ext4 -L whodunit -m 0 -O ^orphan_file,^metadata_csum_seed \
  -E lazy_itable_init=0,lazy_journal_init=0 -d "$work/bare" "$work/disk.raw" "${disk_mib}M"
qemu-img convert -O qcow2 -W "$work/disk.raw" "$work/out/base.qcow2"
chmod 644 "$work"/out/base.qcow2 "$work"/out/vmlinuz "$work"/out/initrd.img
say 'done'
