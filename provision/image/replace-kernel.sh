# Part of bake.sh: puts the kernel of another suite ($work/kernel-tar) in the place of the suite's own, and builds its
# initrd with the suite's tools.
rm -rf "$root"/lib/modules/* "$root"/boot/*
mkdir "$work/kernel"
tar -C "$work/kernel" --numeric-owner --exclude './usr/share/*' -xf "$(cat "$work/kernel-tar")"
# Suites without a merged /usr keep modules in /lib.
for modules in "$work"/kernel/lib/modules/* "$work"/kernel/usr/lib/modules/*; do
  [ ! -d "$modules" ] || cp -r --no-preserve=ownership "$modules" "$root/lib/modules/"
done
other=$(ls "$root/lib/modules")
# Debian's package of 7.2 holds the kernel and its configuration beside the modules; whoever installs it copies them to /boot.
for file in vmlinuz config; do
  for at in "$root/lib/modules/$other/$file" "$work/kernel/boot/$file-$other"; do
    [ ! -e "$at" ] || cp "$at" "$root/boot/$file-$other"
  done
done
rm -rf "$work/kernel"
chroot "$root" depmod "$other"
chroot "$root" mkinitramfs -o "/boot/initrd.img-$other" "$other"
