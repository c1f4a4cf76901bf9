import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture, withLines } from '../../../../fixtures/evidence/load-capture.ts';
import { leaveOnly } from '../../../../fixtures/evidence/take-away.ts';

const SYSTEM = 'node-1/system.jsonl';
const ALL_BUT_THE_WITNESS = ['pods', 'events', 'kmsg', 'containerd', 'kubelet', 'system'] as const;

/** The capture of a service's kill without the witness: only the service's own log names the container. */
const untraced = leaveOnly(loadCapture('systemd-oomd'), [...ALL_BUT_THE_WITNESS], 'absent');

describe('a service that watches memory, when nobody traced the signal', () => {
  it('is likely when its own log names the cgroup of the container', () => {
    expect(judgeCapture(untraced!).attribution).toMatchObject({
      killer: 'systemd-oomd',
      confidence: 'likely',
    });
  });

  it('is not blamed when its log names the cgroup of another container of the pod', () => {
    const sibling = withLines(untraced!, SYSTEM, (lines) =>
      lines.map((line) => line.replace(/(Killed \S*cri-containerd-)[0-9a-f]{64}/, `$1${'51de'.repeat(16)}`)),
    );
    expect(sibling.files.get(SYSTEM)).not.toBe(untraced!.files.get(SYSTEM));
    expect(judgeCapture(sibling).attribution.killer).toBe('unknown');
  });
});
