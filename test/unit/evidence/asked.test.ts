import { expect, it } from 'vitest';
import { readAsked } from '../../../lab/evidence/asked.ts';
import { loadCapture } from '../../fixtures/evidence/load-capture.ts';

const capture = loadCapture('oom-single-container');

it('of a cell that saved them has title and manifests, without secrets', () => {
  const manifests = [
    { kind: 'Secret', metadata: { name: 's' }, stringData: { key: 'hunter2hunter2' } },
    { kind: 'Pod', metadata: { name: 'eater' } },
  ];
  const asked = readAsked({ ...capture.record, title: 'A title', manifests }, new Map(), 'eater');
  expect(asked?.title).toBe('A title');
  expect(asked?.from).toBe('manifests');
  expect(asked?.manifest).toContain('kind: Pod');
  expect(asked?.manifest).not.toContain('hunter2');
});

it('of an older cell is the pod of the victim as the API first had it', () => {
  const asked = readAsked(capture.record, capture.files, 'eater');
  expect(asked).toMatchObject({ title: undefined, from: 'pod' });
  expect(asked?.manifest).toContain('terminationGracePeriodSeconds: 1');
  expect(asked?.manifest).toContain('memory: 128Mi');
  expect(asked?.manifest).not.toContain('nodeName');
});

it('is nothing where neither was saved', () => {
  expect(readAsked(capture.record, new Map(), 'eater')).toBeUndefined();
  expect(readAsked(capture.record, capture.files, 'another')).toBeUndefined();
});

it('is cut when it is long', () => {
  const manifests = Array.from({ length: 400 }, (_, index) => ({ kind: 'Pod', name: `p-${index}` }));
  const asked = readAsked({ ...capture.record, manifests }, new Map(), 'eater');
  expect(asked?.manifest?.split('\n').length).toBeLessThanOrEqual(151);
  expect(asked?.manifest?.endsWith('# and more')).toBe(true);
});
