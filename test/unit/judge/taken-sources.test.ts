import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSurer } from '../../fixtures/evidence/judged-subjects.ts';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { leaveOnly, modesOf, SUBSETS } from '../../fixtures/evidence/take-away.ts';
import { cases, SEED } from '../../fixtures/properties.ts';
import { allStories, type StoryToJudge } from '../../fixtures/told/all-stories.ts';

/** So many stories are told with each choice of sources by `npm test`; many more in its part `nightly`. */
const SAMPLED = 60;

/**
 * Stories of which one source tells the turn. Without it the records that are left are, line by line, those of another end,
 * which they show.
 */
const TOLD_BY_ONE_SOURCE: readonly RegExp[] = [
  // Only the trace saw that somebody else, or the program itself, was faster than whoever had asked.
  /sidecar with the same process namespace stops it after a failed probe/,
  /it is asked to go and does not heed; the shell’s SIGKILL/,
  /it finishes 150 ms before somebody’s deletion/,
  /it gives up by itself, and the power fails/,
  /the runtime signals for a deletion what has ended by itself/,
  /a file of a static pod goes, 200 ms after/,
  /ended by itself before anybody signalled it/,
  /ends with 3 between the decision of the kubelet and its signal/,
  /kubectl exec -- kill 1, while a deletion runs its preStop hook/,
  /the node’s SIGTERM, and half a second later a deletion/,
  /a shell sends SIGSEGV; it looks like a fault/,
  /docker kill of the kind node/,
  // With the trace nobody can say whether the program answered a hook; without it the deletion is all there is.
  /the preStop hook (?:asks for the end over HTTP|sends SIGTERM to the first process)|nginx -s quit, sends SIGQUIT/,
  /the witness began after the SIGTERM of a deletion/,
  /the witness breaks off between a harmless SIGHUP and the SIGBUS/,
  // Only the log of the runtime has the request of a person, or the first container.
  /crictl stop/,
  /a preStop hook runs for a deletion, and a (?:janitor|person)/,
  /the API never heard of the first container, which its own program aborted/,
  // Only the kernel’s line tells whose memory had run out, and only the kernel’s counter that a fork was refused again.
  /a worker hits the limit of the container, and half a second later the node’s memory is out/,
  /the first step of an exec probe was OOM-killed, and a deletion ended the container/,
  /the kernel had said its one line before the cell began/,
  // Only the kubelet’s events or log tell that it had decided before, and only the journal of systemd that a node went down.
  /it exited a moment before the kubelet, which had not heard of it/,
  /a person deleted the pod in the second in which its program had ended/,
  /docker stop of the container that is a node of kind/,
  // The records that contradict the stepped clock are those that are taken.
  /the (?:clock of the node went back 30 s|node’s clock is 40 s ahead)/,
];

const stories = (await allStories()).filter(
  ({ name }) => !TOLD_BY_ONE_SOURCE.some((text) => text.test(name)),
);

/** Stories drawn by the seed of the property tests, others for each choice of sources. */
function drawStories(choice: string): readonly StoryToJudge[] {
  const place = ({ name }: StoryToJudge): string =>
    createHash('sha256').update(`${SEED} ${choice} ${name}`).digest('hex');
  return stories
    .map((story) => ({ story, at: place(story) }))
    .sort((a, b) => a.at.localeCompare(b.at))
    .slice(0, cases(SAMPLED))
    .map(({ story }) => story);
}

describe('a source that is missing leaves the killer of a told story, or makes it unknown', () => {
  it.each(SUBSETS.flatMap(([name, left]) => modesOf(left).map((mode) => [name, mode, left] as const)))(
    '%s, the others %s',
    (choice, mode, left) => {
      const changed = drawStories(`${choice} ${mode}`).flatMap(({ name, tell }) => {
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
