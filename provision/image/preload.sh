# Part of bake.sh: fills containerd's store ($store) by the guest's own containerd, and lists the images beside it.
mkdir -p "$store" "$root/var/lib/containerd" "$root/run/bake"
mount --bind "$store" "$root/var/lib/containerd"
if chroot "$root" containerd --version | awk '{sub(/^v/, "", $3); exit !($3 ~ /^1\./)}'; then
  echo 'version = 2'
else
  # Version 3 names the three plugins that the CRI plugin was split into.
  echo 'version = 3'
fi >"$root/run/bake/config.toml"
cat >>"$root/run/bake/config.toml" <<'TOML'
state = "/run/bake/state"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime"]
[grpc]
  address = "/run/bake/containerd.sock"
TOML
ctr() { chroot "$root" ctr --address /run/bake/containerd.sock --namespace k8s.io "$@"; }
chroot "$root" containerd --config /run/bake/config.toml >"$work/containerd.log" 2>&1 &
containerd=$!
looks=0
until ctr images ls >"$work/ctr.log" 2>&1; do
  looks=$((looks + 1))
  if [ $looks -gt 300 ] || ! kill -0 $containerd 2>/dev/null; then
    tail -n 20 "$work/containerd.log" "$work/ctr.log" >&2
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
# What is unpacked is not needed packed as well (as with containerd's own `discard_unpacked_layers`): half of the store.
ctr content ls | awk '/containerd.io\/uncompressed=/ {print $1}' >"$work/layers"
ctr content rm $(cat "$work/layers") >/dev/null
kill -TERM $containerd
wait $containerd || { tail -n 20 "$work/containerd.log" >&2; exit 1; }
# The id of the daemon that ran here: each node's makes its own.
rm -rf "$store/io.containerd.grpc.v1.introspection"
# Its files would go at the next garbage collection, in the guest.
sed "s#^sha256:#$store/io.containerd.content.v1.content/blobs/sha256/#" "$work/layers" | xargs rm -f
umount "$root/var/lib/containerd"
rm -rf "$root/run/bake"
