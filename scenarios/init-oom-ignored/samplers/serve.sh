# Whether containerd has made the container that waits for the init container.
if grep -qsF '"io.kubernetes.cri.container-name":"serve"' "$TASKS"/*/config.json; then
  echo 'next-container-started 1'
else
  echo 'next-container-started 0'
fi
