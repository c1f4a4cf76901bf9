import { expect, it } from 'vitest';
import { listPods } from '../../../../lab/plan/check/list-objects.ts';

it.each([
  ['Pod', 1],
  ['ConfigMap', 0],
  ['constructor', 0],
  ['toString', 0],
  ['__proto__', 0],
])('an object of the kind %s brings %i pods', (kind, count) => {
  const object = { apiVersion: 'v1', kind, metadata: { name: 'x' }, spec: {} };
  expect(listPods([{ file: 'pod.yaml', path: 'document 1', object }])).toHaveLength(count);
});
