# What the kubelet costs: utime and stime, in hundredths of a second; the name before them, in parentheses, has no blank.
read -r -a fields < "/proc/$(pidof kubelet)/stat"
ticks=$((fields[13] + fields[14]))
printf 'cpu-of-kubelet %d.%02d\n' $((ticks / 100)) $((ticks % 100))
