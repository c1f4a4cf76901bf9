import { describe, expect, it } from 'vitest';
import { loadWholeConfig } from '../../../../lab/commands/setup/config.ts';
import { CONTAINER_REASONS } from '../../../../lab/model/declared/container-reasons.ts';
import { findCalled, listExplanations } from '../../../../lab/report/terminal/explain-word.ts';
import { captureNames, judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { PROJECT } from '../../project-files.ts';

const ALL = listExplanations(loadWholeConfig({ projectDir: PROJECT }));
const textOf = (word: string): string =>
  findCalled(ALL, word)
    .flatMap(({ text }) => text)
    .join('\n');

/** Exit codes and reasons that the API had of victims whose killer is proven: `143 api-deletion`. */
const SEEN = captureNames().flatMap((name) => {
  const { attribution, claims } = judgeCapture(loadCapture(name));
  if (attribution.confidence !== 'proven' || ['none', 'unknown'].includes(attribution.killer)) return [];
  const says = claims.find(({ layer }) => layer === 'api')?.says ?? '';
  const words = [
    /exit (\d+)/.exec(says)?.[1],
    ...Object.keys(CONTAINER_REASONS).filter((one) => new RegExp(`\\b${one}\\b`).test(says)),
  ];
  return words
    .filter((word) => ['143', 'ContainerStatusUnknown'].includes(word ?? ''))
    .map((word) => `${word} ${attribution.killer}`);
});

describe('explain of an end', () => {
  it('has captures of both', () => {
    expect([...new Set(SEEN)].sort()).toEqual([
      '143 api-deletion',
      '143 external-signal',
      'ContainerStatusUnknown kubelet-eviction',
      'ContainerStatusUnknown preemption',
    ]);
  });

  it.each([...new Set(SEEN)])('names every killer that a capture shows: %s', (pair) => {
    const [word = '', killer = ''] = pair.split(' ');
    expect(textOf(word)).toContain(killer);
    expect(textOf(word)).not.toContain('no scenario expects it');
  });

  it('says that nobody expects a word only where nobody was seen to produce it', () => {
    expect(textOf('ContainerCannotRun')).toContain('no scenario expects it');
    expect(textOf('137')).toContain('memcg-oom');
  });
});
