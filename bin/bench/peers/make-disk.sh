#!/bin/bash
# Makes the disk that both peers boot: the lab's own image with a boot loader in it (both boot from a disk), an address by
# DHCP (vagrant-libvirt finds a machine by its lease), and rsync (tmt copies tests with it).
# make-disk.sh FOLDER BASE KERNEL INITRD CMDLINE -> FOLDER/node.qcow2
set -euo pipefail
cd "$1"
base=$2 kernel=$3 initrd=$4 cmdline=$5
cp --sparse=always --reflink=auto "$base" node.raw
mkdir -p root debs
(cd debs && apt-get -q download rsync libpopt0 libxxhash0 liblz4-1 libzstd1 > /dev/null)
mount -o loop node.raw root
trap 'umount root' EXIT
for package in debs/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x -C root --keep-directory-symlink --skip-old-files; done
cp "$kernel" root/boot/vmlinuz
cp "$initrd" root/boot/initrd.img
rm root/etc/systemd/network/10-eth0.network
# The card of vagrant-libvirt, and that of two which tmt's forwarded port leads to. The lease is bound to the card: the
# second machine of this disk has to get the address of the first.
for card in MACAddress=52:54:00:00:00:15 Path=pci-0000:00:1e.0; do
  printf '[Match]\n%s\n\n[Network]\nDHCP=ipv4\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n\n[DHCPv4]\nClientIdentifier=mac\n' "$card" \
    > "root/etc/systemd/network/${card%%=*}.network"
done
# tmt asks this port whether cloud-init is done, which the image does not have: it answers as soon as SSH does.
printf '#!/bin/sh\nprintf "HTTP/1.0 200 OK\\r\\n\\r\\n"\n' > root/usr/local/bin/say-done
chmod +x root/usr/local/bin/say-done
cat > root/etc/systemd/system/say-done.service <<'END'
[Unit]
After=ssh.service
[Service]
ExecStart=/usr/bin/socat TCP-LISTEN:10022,fork,reuseaddr EXEC:/usr/local/bin/say-done
END
ln -s ../say-done.service root/etc/systemd/system/multi-user.target.wants/say-done.service
# tmt has apt-file find the package of a program that it needs, over the network: this one asks dpkg what is installed.
mkdir -p apt-file/{DEBIAN,usr/bin}
printf 'Package: apt-file\nVersion: 0\nArchitecture: all\nMaintainer: none\nDescription: what is installed\n' > apt-file/DEBIAN/control
printf '#!/bin/sh\n[ "$1" = update ] || dpkg -S "$3" | cut -d : -f 1\n' > apt-file/usr/bin/apt-file
chmod +x apt-file/usr/bin/apt-file
dpkg-deb --build --root-owner-group apt-file apt-file.deb > /dev/null
dpkg --root=root --force-all -i apt-file.deb > /dev/null
printf 'DEFAULT node\nLABEL node\n  KERNEL vmlinuz\n  INITRD initrd.img\n  APPEND %s\n' "$cmdline" > root/boot/extlinux.conf
extlinux --install root/boot
umount root
trap - EXIT
qemu-img convert -O qcow2 node.raw node.qcow2
rm -rf node.raw root debs apt-file apt-file.deb
