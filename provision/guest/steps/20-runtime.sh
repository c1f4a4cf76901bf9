# containerd answers and every image of the control plane is in its store: nothing is pulled at run time.
systemctl is-active --quiet containerd || systemctl start containerd
ctr version > /dev/null
have=$(ctr -n k8s.io images ls -q)
missing=
for image in $IMAGES; do
  grep -qxF "$image" <<< "$have" || missing="$missing $image"
done
if [ -n "$missing" ]; then
  echo "images missing in containerd's store:$missing" >&2
  exit 1
fi
