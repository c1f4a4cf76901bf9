#!/bin/bash
# In the namespaces of enter.sh: times vagrant with vagrant-libvirt, cold and from its snapshot.
# SHARED has the disk and the scripts, OWN is its own folder.
set -euo pipefail
here=$(dirname "$0")
. "$here/took.sh"
cd "$OWN"
cp "$here/Vagrantfile" .
virsh -q net-define "$here/network.xml" >&2
printf '{"provider": "libvirt", "format": "qcow2", "virtual_size": 8}\n' > metadata.json
tar -cf node.box --transform s/node.qcow2/box.img/ metadata.json -C "$SHARED" node.qcow2
vagrant box add --name node node.box >&2
rm node.box
# Its pool gets the image with the first machine; the lab and tmt have theirs already.
vagrant up --no-provision >&2
vagrant destroy --force >&2
took 'vagrant node' vagrant up
took 'vagrant snapshot' vagrant snapshot save ready
took 'vagrant verdict' vagrant provision --provision-with judge
for _ in 1 2 3; do
  took 'vagrant restore' vagrant snapshot restore --no-provision --no-start ready
  took 'vagrant verdict again' vagrant provision --provision-with judge
done
vagrant destroy --force >&2
