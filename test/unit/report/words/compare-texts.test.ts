import { describe, expect, it } from 'vitest';
import { isAlike, listUnlike } from '../../../../lab/report/words/compare-texts.ts';

/** The first text with what the second one lacks in brackets. */
function mark(text: string, other: string): string {
  return listUnlike(text, other)
    .map((piece) => (piece.isUnlike ? `[${piece.text}]` : piece.text))
    .join('');
}

describe('what two texts have in common whatever happened', () => {
  it.each([
    ['pids', 'killed pid 1657 (memory-eater)', 'killed pid 1735 (memory-eater)'],
    ['pids of the kernel', 'task=eater,pid=16,uid=0', 'task=eater,pid=17,uid=65534'],
    ['uids of pods', 'of …/pod6afd1946….slice', 'of …/pod11fb4b18….slice'],
    [
      'uids of pods in the paths of cgroupfs',
      'in /kubepods/burstable/pod8ebdbaf9-ed59-4473-9c89-1936fa2501e0/0917696f1526',
      'in /kubepods/burstable/pode25e6d0d-d3bd-421f-a615-ee3c64856a0c/3c4f99bbb178',
    ],
    ['ids of containers', 'cri-containerd-0f1498476e18.scope', 'cri-containerd-b945dc168488.scope'],
    ['whole uids', 'pod 6afd1946-8cf8-4575-b7b5-f0fbdbb59c90', 'pod 11fb4b18-0cf8-4575-a7b5-00fbdbb59c91'],
    ['times of day', 'at 2026-11-20T21:54:49.022Z', 'at 2026-11-21T02:16:26.819Z'],
    ['durations', 'ended 17.7 ms after SIGKILL', 'ended 1m 03s after SIGKILL'],
    ['generated names', 'pod eater-66bc5c9577-2vhn8', 'pod eater-7d9f8b6c54-x2k9q'],
  ])('are %s', (_, one, other) => {
    expect(isAlike(one, other)).toBe(true);
    expect(mark(one, other)).toBe(one);
  });
});

describe('what differs', () => {
  it.each([
    [
      'a word',
      'memcg-oom (group-kill), proven',
      'memcg-oom (single-process), proven',
      'memcg-oom ([group-kill]), proven',
    ],
    ['a number', 'oom_kill went from 0 to 2', 'oom_kill went from 0 to 1', 'oom_kill went from 0 to [2]'],
    ['bytes', 'limit 128.0 MiB', 'limit 64.0 MiB', 'limit [128.0] MiB'],
    [
      'words that follow each other',
      'it removed the dead container',
      'the container',
      '[it removed] the [dead] container',
    ],
    ['a text against none', 'TaskOOM', '', '[TaskOOM]'],
  ])('is marked: %s', (_, one, other, marked) => {
    expect(isAlike(one, other)).toBe(false);
    expect(mark(one, other)).toBe(marked);
  });

  it('is decided as a whole for a text of very many words', () => {
    const long = 'word '.repeat(1000);
    expect(listUnlike(`${long}a`, `${long}b`)).toEqual([{ text: `${long}a`, isUnlike: true }]);
    expect(listUnlike(long, long)).toEqual([{ text: long, isUnlike: false }]);
  });
});
