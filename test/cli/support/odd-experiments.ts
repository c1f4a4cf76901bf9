import { SAVED_CELL } from './verb-lines.ts';

/** A cell whose version is searched. */
const SEARCHED = 'containerd-2.4.2/oom-single-container';

/** Odd lines of the verbs that compare runs, read a report, build a checkout, or use several hosts. */
export const ODD_EXPERIMENTS: readonly (readonly string[])[] = [
  // a verdict that is put to the test
  ['prove'],
  ['prove', 'nope'],
  ['prove', 'v1/nope'],
  ['prove', 'driver-mismatch-kill-loop'],
  ['prove', SAVED_CELL, '--repeat', '0'],
  ['prove', SAVED_CELL, '--minutes', 'soon'],
  ['prove', SAVED_CELL, '--markdown', '--json'],
  // what made the difference
  ['bisect'],
  ['bisect', 'nope'],
  ['bisect', SEARCHED],
  ['bisect', SEARCHED, '--axis', 'cgroup', '--good', 'v1'],
  ['bisect', SEARCHED, '--axis', 'containrd', '--good', '1.6.2'],
  ['bisect', SEARCHED, '--axis', 'containerd'],
  ['bisect', SEARCHED, '--axis', 'containerd', '--good', '99.1'],
  ['bisect', SEARCHED, '--axis', 'containerd', '--good', '2.4.2'],
  ['bisect', SEARCHED, '--axis', 'containerd', '--good', '1.6.2', '--budget', '5'],
  ['bisect', SEARCHED, '--axis', 'containerd', '--good', '1.6.2', '--what', 'killer,killer'],
  ['bisect', SEARCHED, '--axis', 'containerd', '--good', '1.6.2', '--what', 'verdict'],
  ['bisect', SEARCHED, '--axis', 'containerd', '--good', '1.6.2', '--saved', '/nowhere'],
  ['bisect', 'set=quick', '--axis', 'containerd', '--good', '1.6.2'],
  ['bisect', '--resume', 'nope'],
  ['bisect', '--resume', 'one', 'two'],
  ['difference', 'v1/plain-exit'],
  ['difference', 'v1/plain-exit', 'v1/plain-exit'],
  ['difference', 'v1/plain-exit', 'default/exit-one'],
  ['difference', 'v1/plain-exit', 'default/plain-exit', '--repeat', '0'],
  ['difference', '--resume'],
  // a change that is compared with what was
  ['gate'],
  ['gate', '--for', 'dockerd'],
  ['gate', '--for', 'runc', '--minutes', '0'],
  ['gate', '--for', 'runc', '--from', '/dev/null', '--dry-run'],
  ['gate', '--for', 'runc', '--from', '/nowhere', '--dry-run'],
  ['gate', '--for', 'runc', '--record', '/usr', '--dry-run'],
  ['gate', '--baseline', 'package.json', '--dry-run'],
  ['gate', '--base', 'latest'],
  // somebody's report, checkouts, exit codes for others
  ['case', '/nowhere'],
  ['case', 'README.md', '--dry-run'],
  ['list', 'containerd=git:/nowhere', 'plain-exit'],
  ['list', 'containerd=git:/usr', 'plain-exit'],
  ['list', 'containerd=git:/usr@main', 'plain-exit'],
  ['up', 'runtime=runc@git:/usr', '--dry-run'],
  ['autopsy', 'README.md', '--save', '-'],
  ['gate', '--for', 'runc', '--record', '-'],
  // several hosts
  ['plan', 'plain-exit', '--shards', '0'],
  ['plan', 'plain-exit', '--max-minutes', 'soon'],
  ['run', 'plain-exit', '--shard', '3/2', '--dry-run'],
  ['shard', 'manifest'],
  ['shard', 'manifest', '--engine', 'lsf', '--plan', 'package.json'],
  ['merge'],
  ['merge', 'latest', '--plan', 'package.json'],
];
