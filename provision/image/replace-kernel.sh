# Part of bake.sh: puts the kernel of another suite ($work/kernel-tar) in the place of the suite's own, and builds its
# initrd with the suite's tools.
rm -rf "$root"/lib/modules/* "$root"/boot/*
mkdir "$work/kernel"
tar -C "$work/kernel" --numeric-owner -xf "$(cat "$work/kernel-tar")" --wildcards './boot/*' '*lib/modules/[0-9]*'
# Suites without a merged /usr keep modules in /lib.
for modules in "$work"/kernel/lib/modules/* "$work"/kernel/usr/lib/modules/*; do
  [ ! -d "$modules" ] || cp -r --no-preserve=ownership "$modules" "$root/lib/modules/"
done
cp "$work"/kernel/boot/vmlinuz-* "$work"/kernel/boot/config-* "$root/boot/"
rm -rf "$work/kernel"
other=$(ls "$root/lib/modules")
chroot "$root" depmod "$other"
chroot "$root" mkinitramfs -o "/boot/initrd.img-$other" "$other"
