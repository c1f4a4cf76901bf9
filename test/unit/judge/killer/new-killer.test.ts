import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import type { CaseFile } from '../../../../lab/judge/case/case-file.ts';
import { openCase } from '../../../../lab/judge/case/open-case.ts';
import { findEvent } from '../../../../lab/judge/case/requests/pod-events.ts';
import { attribute, type Attributed } from '../../../../lab/judge/killer/attribute.ts';
import { weigh } from '../../../../lab/judge/killer/confidence.ts';
import { findRuntimeStop } from '../../../../lab/judge/killer/found-stop.ts';
import { HYPOTHESES } from '../../../../lab/judge/killer/hypothesis-table.ts';
import type { Hypothesis } from '../../../../lab/judge/killer/hypothesis.ts';
import { KUBELET_STOP } from '../../../../lab/judge/killer/traces.ts';
import type { KubeEvent } from '../../../../lab/model/evidence/observation.ts';
import type { Killer } from '../../../../lab/model/killers/killers.ts';
import {
  judgeCapture,
  loadCapture,
  sampledCaptureNames,
  withLines,
  type Capture,
} from '../../../fixtures/evidence/load-capture.ts';
import { leaveOnly } from '../../../fixtures/evidence/take-away.ts';
import { indexEvidence } from '../../../../lab/judge/records/evidence-index.ts';

/** A killer that no release has. */
const DEVICE_LOST = 'device-lost' as Killer;

/** Its text reader. */
function readDeviceLost(file: CaseFile): KubeEvent | undefined {
  const { container } = file.record.victim;
  return findEvent(
    file,
    ({ reason, message }) =>
      reason === 'Killing' && message === `Container ${container} lost its device, will be restarted`,
  );
}

/** Its file of data: whose act ends the container, and what it leaves behind beside the act. */
const NEW: Hypothesis = {
  what: 'a device that was lost',
  killers: [DEVICE_LOST],
  acts: ['runtime', 'itself'],
  left: { ...KUBELET_STOP, isSeen: (file) => readDeviceLost(file) !== undefined },
  hear: (file) => {
    const said = readDeviceLost(file);
    const stop = findRuntimeStop(file);
    if (said === undefined || stop === undefined) return undefined;
    const { steps, at, decisive } = stop;
    return {
      killer: DEVICE_LOST,
      steps: { ...steps, request: [said.ref, ...(steps.request ?? [])] },
      at,
      decisive,
    };
  },
};

function hearAll(
  capture: Capture,
  hypotheses: readonly Hypothesis[],
): Attributed & { readonly file: CaseFile } {
  const file = openCase(
    capture.record,
    indexEvidence(readEvidence(capture.files, capture.record)),
  ) as CaseFile;
  return { ...attribute(file, hypotheses), file };
}

const WITH_IT = [...HYPOTHESES, NEW];

/** A stop by the kubelet, of which it gives a reason that the judge does not know. */
const lost = ['events.jsonl', 'node-1/kubelet.jsonl'].reduce(
  (capture, path) =>
    withLines(capture, path, (lines) =>
      lines
        .filter((line) => !line.includes('Unhealthy'))
        .map((line) => line.replaceAll('failed liveness probe', 'lost its device')),
    ),
  loadCapture('liveness-probe'),
);

describe('a new killer is one hypothesis with a reader of its text', () => {
  it('is not known without it', () => {
    expect(hearAll(lost, HYPOTHESES).conclusion.killer).toBe('unknown');
  });

  it('is seen where its text is, and every other one is contradicted', () => {
    const { conclusion, excluded, open, file } = hearAll(lost, WITH_IT);
    expect(conclusion.killer).toBe(DEVICE_LOST);
    expect(excluded).toHaveLength(HYPOTHESES.length);
    expect(open).toEqual([]);
    expect(weigh(file, conclusion, [], open)).toEqual({ confidence: 'proven' });
  });

  it('is contradicted by another last act, and by a kubelet that was heard', () => {
    const byOom = hearAll(loadCapture('oom-single-container'), WITH_IT).excluded;
    expect(byOom).toContainEqual({
      what: NEW.what,
      by: expect.stringContaining('OOM killer ended it') as string,
    });
    const byStop = hearAll(loadCapture('runtime-stop'), WITH_IT).excluded;
    expect(byStop).toContainEqual({ what: NEW.what, by: 'the kubelet was heard and tells of none' });
  });

  it('is open where the sources that would tell are missing', () => {
    const fewer = leaveOnly(lost, ['kmsg', 'witness', 'pods', 'containerd'], 'absent');
    expect(hearAll(fewer as Capture, WITH_IT).open).toContainEqual(
      expect.objectContaining({ what: NEW.what, wanted: KUBELET_STOP.wanted }),
    );
  });

  it.each(sampledCaptureNames())('changes no killer elsewhere: %s', (name) => {
    const capture = loadCapture(name);
    const { killer } = judgeCapture(capture).attribution;
    expect(hearAll(capture, WITH_IT).conclusion.killer).toBe(killer);
  });
});
