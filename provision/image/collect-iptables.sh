# Runs as mmdebstrap's customize hook ($1 = guest root). kube-proxy's container needs iptables and all it loads:
# keep that closure in one tar inside the guest root, with links followed (several modules are links to libxt_NAT.so), paths as the loader asks for them.
set -eu
chroot "$1" sh -eu -c '
  multi=/usr/sbin/xtables-nft-multi
  modules=$(dirname "$(find /usr/lib -name libxt_standard.so)")
  list=/usr/share/whodunit/iptables.list
  mkdir -p /usr/share/whodunit
  {
    echo $multi
    ls "$modules"/*.so
    ldd $multi "$modules"/*.so | sed -n "s#^.*[[:space:]]\(/[^ ]*\) (0x.*#\1#p"
  } | sort -u | sed "s#^/##" >$list
  tar -C / --hard-dereference -chf /usr/share/whodunit/iptables.tar -T $list
  rm $list
'
rm -f "$1/etc/apt/apt.conf.d/99mmdebstrap" "$1/etc/dpkg/dpkg.cfg.d/99mmdebstrap" "$1"/etc/ssh/ssh_host_*
