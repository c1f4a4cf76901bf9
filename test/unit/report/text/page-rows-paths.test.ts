import { expect, it } from 'vitest';
import { shortenPaths } from '../../../../lab/report/text/page-rows.ts';

const UID = '8ebdbaf9-ed59-4473-9c89-1936fa2501e0';

it.each([
  [
    'systemd',
    `of /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`,
    'of …/pod8ebdbaf9….slice',
  ],
  ['cgroupfs', `of /kubepods/burstable/pod${UID}`, 'of …/pod8ebdbaf9…'],
  ['cgroupfs, a guaranteed pod', `of /kubepods/pod${UID}/0917696f1526`, 'of …/pod8ebdbaf9…/0917696f1526'],
])('the cgroup of a pod is short: %s', (_, path, short) => {
  expect(shortenPaths(path)).toBe(short);
});
