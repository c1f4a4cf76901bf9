import { levelOf } from '../../../../lab/model/evidence/cgroup-path.ts';
import { describe, expect, it } from 'vitest';

const ID = '5f3c9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1a02';
const UID = '6f1d2c3b_4a59_4687_9a0b_1c2d3e4f5a6b';

describe('the level of a cgroup', () => {
  it.each([
    [
      `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID}.slice/cri-containerd-${ID}.scope`,
      'container',
    ],
    [`/system.slice/kubepods-burstable-pod${UID}.slice:cri-containerd:${ID}`, 'container'],
    [`/kubepods/burstable/pod${UID.replaceAll('_', '-')}/${ID}`, 'container'],
    [`/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID}.slice`, 'pod'],
    [`/kubepods/pod${UID.replaceAll('_', '-')}`, 'pod'],
    ['/kubepods.slice/kubepods-pod0123456789abcdef0123456789abcdef.slice', 'pod'],
    ['/kubepods.slice/kubepods-besteffort.slice', 'qos'],
    ['/kubepods/burstable', 'qos'],
    ['/kubepods.slice', 'qos'],
    ['/', 'node'],
    ['/system.slice/ssh.service', undefined],
  ])('%s is %s', (path, level) => expect(levelOf(path)).toBe(level));
});
