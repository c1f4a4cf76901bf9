# The weight of the class: systemd and cgroupfs name its cgroup differently.
for folder in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
  for path in "kubepods.slice/kubepods-$class.slice" "kubepods/$class"; do
    for file in cpu.weight cpu.shares; do
      [ ! -e "$folder/$path/$file" ] || echo "cpu-weight-of-class $(< "$folder/$path/$file")"
    done
  done
done
