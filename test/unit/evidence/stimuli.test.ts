import { expect, it } from 'vitest';
import { parseStimuli } from '../../../lab/evidence/stimuli.ts';
import { loadCapture } from '../../fixtures/evidence/load-capture.ts';

it.each([
  ['api-delete', 'delete'],
  ['api-eviction', 'eviction-api'],
  ['drain', 'eviction-api'],
] as const)('%s says which pod the API was asked to end, and how', (name, how) => {
  const { files, record } = loadCapture(name);
  const [done] = parseStimuli(files.get('cell.json') ?? '', 'cell.json', record);
  expect(done?.asked).toEqual({ how, namespace: 'default', pods: ['doomed'] });
});
