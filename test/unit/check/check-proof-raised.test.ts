import { describe, expect, it } from 'vitest';
import { checkProof } from '../../../lab/check/check-proof.ts';
import { createDraw, type Claim } from '../../fixtures/change-proof.ts';
import { MUTATIONS } from '../../fixtures/mutate-proof.ts';
import { DRAWS_ALL, SEED } from '../../fixtures/properties.ts';
import { judgedDeaths, savedFiles, type JudgedDeath } from '../../fixtures/told/judged-deaths.ts';

/** Likely answers that are accepted when they are said to be proven, by what the checker does not see. Who teaches it strikes them out. */
const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  'whether an order that is written in whole seconds, or not at all, is certain': [
    'all events of the pod had gone with their time to live; the pod and the journals still tell of it',
    'a person deletes it 0.3 s before its deadline, which is in the next second',
    'crictl stop, and in the next second its probe fails for the third time; the journal of the kubelet has a hole',
    'N06-crictl-stop-400ms-before-deadline',
  ],
  'that somebody had asked while the node went down, or by the file of a static pod': [
    'the node lost its power in the grace of a deletion',
    'held out: a file of a static pod goes, 200 ms after its container gave up',
  ],
  'what came after the last act, or after the last record of the witness': [
    'a person signals the first process after the OOM killer took it',
    'held out: the grace has run out and the runtime has killed it, when a shell’s SIGKILL follows 30 ms later',
    'a hung task makes the kernel panic, and the node comes back',
  ],
  'that the sender of a cited signal sent another one': [
    'a child of the shim’s pid lived in the container’s past, then the shim itself was killed',
  ],
  'that SIGTERM from inside ended a worker': [
    'somebody opens a shell by kubectl exec and kills the worker with SIGTERM; the program ends with 0 half a second later',
  ],
};
const listed = new Set(Object.values(ACCEPTED).flat());

/** One in so many stories is drawn; the part `captures` takes all. */
const SHARE = 6;
const RAISE = MUTATIONS.find(({ name }) => name === 'a confidence raised');

const stories = await judgedDeaths();

/** Whether the answer is likely, and is accepted when it is said to be proven; undefined when it is not likely. */
function isRaised({ judge, tell }: JudgedDeath): boolean | undefined {
  const saved = savedFiles(tell());
  const mutant = RAISE?.mutate(judge().attribution as Claim, createDraw(SEED), saved);
  return mutant && checkProof(mutant.claim, saved).length === 0;
}

describe('a likely answer to a story that is said to be proven', () => {
  it('is rejected', () => {
    const drawn = stories.filter((_, index) => DRAWS_ALL || (index + SEED) % SHARE === 0);
    const tried = drawn.map((story) => ({ name: story.name, raised: isRaised(story) }));
    expect(tried.filter(({ raised }) => raised !== undefined).length).toBeGreaterThan(20);
    const accepted = tried.filter(({ name, raised }) => raised === true && !listed.has(name));
    expect(accepted.map(({ name }) => name)).toEqual([]);
  });

  it('is listed as accepted only while it is', () => {
    const own = stories.filter(({ name }) => listed.has(name));
    expect(own.map(({ name }) => name).sort()).toEqual([...listed].sort());
    const rejected = own.filter((story) => isRaised(story) !== true);
    expect(rejected.map(({ name }) => name)).toEqual([]);
  });
});
