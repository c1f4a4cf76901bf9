import { describe, expect, it } from 'vitest';
import { isSurer } from '../../fixtures/evidence/judged-subjects.ts';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { leaveOnly, modesOf, SUBSETS } from '../../fixtures/evidence/take-away.ts';
import { allStories, type StoryToJudge } from '../../fixtures/told/all-stories.ts';
import { drawStories } from '../../fixtures/told/draw-stories.ts';

/**
 * Stories of which one source tells the turn. Without it the records that are left are, line by line, those of another end,
 * which they show: that end may be named, and is never proven.
 */
const TOLD_BY_ONE_SOURCE: readonly RegExp[] = [
  // Only the trace saw that somebody else, or the program itself, was faster than whoever had asked. Its code is that of a stop.
  /sidecar with the same process namespace stops it after a failed probe/,
  /it is asked to go and does not heed; the shell’s SIGKILL/,
  /it finishes 150 ms before somebody’s deletion/,
  /the runtime signals for a deletion what has ended by itself/,
  /the kubelet decided to restart it for its probe, and it ended by itself/,
  /the node’s SIGTERM, and half a second later a deletion/,
  // A power failure leaves the same behind, whether or not the program had ended in the last second.
  /it gives up by itself, and the power fails/,
  // Hardly anybody sends the signal of a fault: its code is taken for one, where nobody traced the sender.
  /a shell sends SIGSEGV; it looks like a fault/,
  // A witness that begins late or breaks off saw a part, and contradicts what its absence would leave likely, and right.
  /the witness began after the SIGTERM of a deletion/,
  /the witness breaks off between a harmless SIGHUP and the SIGBUS/,
  // Only the log of the runtime has the request of a person, who was faster than the one that the API knows.
  /crictl stop/,
  // The records that contradict the stepped clock are those that are taken; the answer without them is right.
  /the (?:clock of the node went back 30 s|node’s clock is 40 s ahead)/,
];

const all = await allStories();
const isToldByOne = ({ name }: StoryToJudge): boolean => TOLD_BY_ONE_SOURCE.some((text) => text.test(name));
const stories = all.filter((story) => !isToldByOne(story));

describe('a source that is missing leaves the killer of a told story, or makes it unknown', () => {
  it.each(SUBSETS.flatMap(([name, left]) => modesOf(left).map((mode) => [name, mode, left] as const)))(
    '%s, the others %s',
    (choice, mode, left) => {
      const drawn = drawStories(stories, ({ name }) => name, `${choice} ${mode}`);
      const changed = drawn.flatMap(({ name, tell }) => {
        const capture = tell();
        const fewer = leaveOnly(capture, left, mode);
        if (fewer === undefined) return [];
        const [before, now] = [judgeCapture(capture).attribution, judgeCapture(fewer).attribution];
        const isOther = now.killer !== 'unknown' && now.killer !== before.killer;
        return isSurer(now, before) || isOther
          ? [`${name}: ${before.killer} -> ${now.killer} (${now.confidence})`]
          : [];
      });
      expect(changed).toEqual([]);
    },
  );
});

describe('a story of which one source tells the turn', () => {
  it.each(all.filter(isToldByOne))('is never proven to be another: $name', ({ tell }) => {
    const capture = tell();
    const { killer } = judgeCapture(capture).attribution;
    const proven = SUBSETS.flatMap(([choice, left]) =>
      modesOf(left).flatMap((mode) => {
        const fewer = leaveOnly(capture, left, mode);
        const now = fewer && judgeCapture(fewer).attribution;
        return now?.confidence === 'proven' && now.killer !== killer
          ? [`${choice}, ${mode}: ${now.killer}`]
          : [];
      }),
    );
    expect(proven).toEqual([]);
  });
});
