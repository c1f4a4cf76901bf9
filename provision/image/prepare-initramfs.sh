# Runs as mmdebstrap's essential hook ($1 = guest root), before the kernel package builds its initrd.
# Only what finds the root disk goes in: every further module costs boot time under emulation.
set -eu
mkdir -p "$1/etc/initramfs-tools/conf.d"
printf 'MODULES=list\nBUSYBOX=n\nKEYMAP=n\nCOMPRESS=zstd\nFSTYPE=ext4\nRESUME=none\n' >"$1/etc/initramfs-tools/conf.d/whodunit"
printf 'virtio_pci\nvirtio_blk\next4\n' >"$1/etc/initramfs-tools/modules"
