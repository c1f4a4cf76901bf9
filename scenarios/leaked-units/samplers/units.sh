# Units of the scenario that systemd still has although nothing is left of them: scopes in whose cgroup no process is, and
# units of mount points where nothing is mounted.
left=0
while read -r unit _; do
  case $unit in
    *.scope)
      for folder in /sys/fs/cgroup/system.slice /sys/fs/cgroup/systemd/system.slice; do
        [ ! -e "$folder/$unit/cgroup.procs" ] || [ -n "$(< "$folder/$unit/cgroup.procs")" ] || left=$((left + 1))
      done
      ;;
    *.mount)
      path=$(systemd-escape --unescape --path "${unit%.mount}")
      grep -qF " $path " /proc/self/mountinfo || left=$((left + 1))
      ;;
  esac
done < <(systemctl list-units --all --plain --no-legend 'run-r*.scope' 'run-u*.scope' 'var-leak*.mount')
echo "units-left $left"
