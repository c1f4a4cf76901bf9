import { describe, expect, it } from 'vitest';
import { checkProof } from '../../../lab/check/check-proof.ts';
import { captureNames, judgeCapture, loadCapture } from '../../fixtures/evidence/load-capture.ts';
import { TAMPERINGS } from '../../fixtures/mutate-evidence.ts';
import { createDraw, type Claim } from '../../fixtures/change-proof.ts';
import { MUTATIONS } from '../../fixtures/mutate-proof.ts';
import { cases, SEED } from '../../fixtures/properties.ts';

/** Each capture with its proof. */
const subjects = captureNames().map((name) => {
  const { files, ...capture } = loadCapture(name);
  return { name, files, claim: judgeCapture({ files, ...capture }).attribution as Claim };
});
/** So many of three kinds of change are drawn for each capture; the fuzzer draws all. */
const THIRD = 3;

describe('the proof of a capture', () => {
  it.each(subjects)('is accepted: $name', ({ files, claim }) => {
    expect(checkProof(claim, files)).toEqual([]);
  });

  it('is accepted as it was saved', () => {
    for (const { files, claim } of subjects.slice(0, 5))
      expect(checkProof(JSON.parse(JSON.stringify(claim)) as Claim, files)).toEqual([]);
  });
});

describe('an event of a former life', () => {
  const LONG_AGO = '2001-01-01T00:00:00.000Z';
  const isEvent = ({ step, says }: Claim['proof']['links'][number]): boolean =>
    step === 'request' && says.kind === 'kube-event';

  it('is no request for the end of the container that began after it', () => {
    const { files, ...capture } = loadCapture('liveness-probe');
    const claim = judgeCapture({ files, ...capture }).attribution as Claim;
    const cited = claim.proof.links.filter(isEvent).map(({ line = 0 }) => line - 1);
    expect(cited).not.toEqual([]);
    const events = (files.get('events.jsonl') ?? '').split('\n');
    const older = events.map((line, index) =>
      cited.includes(index) ? line.replace(/("(?:first|last)Timestamp":)"[^"]*"/g, `$1"${LONG_AGO}"`) : line,
    );
    const links = claim.proof.links.map((link) =>
      isEvent(link) ? { ...link, says: { ...link.says, at: LONG_AGO } } : link,
    );
    const changed = new Map(files).set('events.jsonl', older.join('\n'));
    const problems = checkProof({ ...claim, proof: { ...claim.proof, links } }, changed);
    expect(problems.map(({ problem }) => problem)).toContain('it is of a life before');
  });
});

describe('a proof that lacks a source', () => {
  const { files, claim } = subjects.find(({ name }) => name === 'sigkill-from-node')!;

  it('is not proven where nobody heard the kubelet, which may have meant to stop the container', () => {
    const decisive = claim.proof.decisive.filter((source) => source !== 'kubelet' && source !== 'events');
    expect(decisive.length).toBeLessThan(claim.proof.decisive.length);
    const problems = checkProof({ ...claim, proof: { ...claim.proof, decisive } }, files);
    expect(problems.map(({ problem }) => problem)).toEqual([
      'the kubelet, which may have meant to stop it, was not heard',
    ]);
  });

  it('is rejected where the name of its file is a pattern that fits none', () => {
    const silences = claim.proof.silences.map((silence) => ({ ...silence, files: ['node-1/(kmsg.log'] }));
    const problems = checkProof({ ...claim, proof: { ...claim.proof, silences } }, files);
    expect(problems.map(({ problem }) => problem)).toContainEqual(
      expect.stringContaining('it was not saved'),
    );
  });

  it('does not contradict an eviction by a record that has nothing to do with one', () => {
    const records = [claim.proof.victim.first!];
    const exclusions = claim.proof.exclusions.map((excluded) =>
      excluded.hypothesis === 'an eviction by the kubelet'
        ? { hypothesis: excluded.hypothesis, ground: 'record' as const, records }
        : excluded,
    );
    const problems = checkProof({ ...claim, proof: { ...claim.proof, exclusions } }, files);
    expect(problems.map(({ problem }) => problem)).toEqual([
      'it is not contradicted: an eviction by the kubelet',
    ]);
  });
});

/** How often a way to change a proof was tried, and the changes that were accepted. */
interface Tried {
  readonly count: number;
  readonly accepted: readonly string[];
}

const tried = new Map<number, Tried>();

/** Changes the proofs in one way: once, whichever test asks first. */
function tryMutation(place: number): Tried {
  const known = tried.get(place);
  if (known !== undefined) return known;
  const draw = createDraw(SEED + place);
  const accepted: string[] = [];
  let count = 0;
  for (const [index, subject] of subjects.entries()) {
    const isRare = subject.claim.confidence === 'likely';
    if (cases(1) === 1 && !isRare && (index + place) % THIRD !== 0) continue;
    const mutant = MUTATIONS[place]?.mutate(subject.claim, draw, subject.files);
    if (mutant === undefined) continue;
    count += 1;
    if (checkProof(mutant.claim, subject.files).length === 0)
      accepted.push(`${subject.name}: ${mutant.change}`);
  }
  tried.set(place, { count, accepted });
  return { count, accepted };
}

describe('a changed proof', () => {
  const places = MUTATIONS.map(({ name }, place) => ({ name, place }));

  it.each(places)('is rejected: $name', ({ place }) => {
    expect(tryMutation(place).accepted).toEqual([]);
  });

  it('was tried more than a thousand times, and in each way', () => {
    const counts = places.map(({ place }) => tryMutation(place).count);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.reduce((all, count) => all + count, 0)).toBeGreaterThan(1000);
  });

  it.each(MUTATIONS)('has a reason to be wrong: $name', ({ why }) => {
    expect(why).toMatch(/^\S.{20,}/);
  });
});

describe('changed evidence', () => {
  it.each(TAMPERINGS.map((tampering, place) => ({ ...tampering, place })))(
    'is seen: $name',
    ({ tamper, place, isRare }) => {
      const draw = createDraw(SEED + place);
      const tried: string[] = [];
      const accepted: string[] = [];
      for (const [index, { name, files, claim }] of subjects.entries()) {
        if (cases(1) === 1 && isRare !== true && (index + place) % THIRD !== 0) continue;
        const tampered = tamper(claim, draw, files);
        if (tampered === undefined) continue;
        tried.push(name);
        if (checkProof(claim, tampered.files).length === 0) accepted.push(`${name}: ${tampered.change}`);
      }
      expect(tried.length).toBeGreaterThan(isRare === true ? 3 : 10);
      expect(accepted).toEqual([]);
    },
  );
});

describe('a problem', () => {
  it('names file and line', () => {
    const { files, claim } = subjects.find(({ name }) => name === 'oom-single-container')!;
    const links = claim.proof.links.map((link, index) =>
      index === 0 ? { ...link, says: { ...link.says, pid: 1 } } : link,
    );
    const [problem, ...others] = checkProof({ ...claim, proof: { ...claim.proof, links } }, files);
    expect(problem).toMatchObject({ file: 'node-1/kmsg.log', line: 58 });
    expect(problem?.problem).toContain('it does not say {"kind":"kernel-oom-context","pid":1,');
    expect(others).toEqual([]);
  });
});
