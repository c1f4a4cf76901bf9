import { describe, expect, it } from 'vitest';
import { chooseArms } from '../../../../lab/experiment/prove/choose-arms.ts';
import { conclude, type Concluded, type SeenEnd } from '../../../../lab/experiment/prove/conclude.ts';
import { interventionFor } from '../../../../lab/experiment/prove/intervention-table.ts';
import { isRemoval } from '../../../../lab/experiment/prove/intervention.ts';
import { takeAway, type StagedScenario } from '../../../../lab/experiment/prove/take-away.ts';
import { listSuspects } from '../../../../lab/judge/killer/suspects.ts';
import type { Killer } from '../../../../lab/model/killers/killers.ts';
import type { Attribution } from '../../../../lab/model/saved/formats.ts';
import type { NamedCause } from '../../../../lab/model/saved/prove.ts';
import { fillScenario } from '../../../../lab/plan/parameters/fill-scenario.ts';
import { judgeCapture, loadCapture, realCaptureNames } from '../../../fixtures/evidence/load-capture.ts';
import { configWith, readProjectText } from '../../project-files.ts';

const config = configWith();
const RUNS = 3;
const PLANTED = 40;

/** A real death: what was staged, and what the judge says of it. */
interface Subject {
  readonly name: string;
  readonly staged: StagedScenario;
  readonly truth: Attribution;
  readonly accepted: readonly Killer[];
}

const subjects: readonly Subject[] = realCaptureNames().flatMap((name) => {
  const capture = loadCapture(name);
  const { record } = capture;
  const loaded = config.scenarios.find(({ scenario }) => scenario.name === record.scenario);
  const { attribution } = judgeCapture(capture);
  if (loaded === undefined || attribution.killer === 'none' || attribution.killer === 'unknown') return [];
  const staged = {
    loaded: fillScenario(loaded, { ...loaded.parameters, ...record.parameters }),
    variant: record.variant,
  };
  const { killer = attribution.killer, or = [] } = record.expected;
  return [{ name, staged, truth: attribution, accepted: [killer, ...or.map((end) => end.killer)] }];
});

/** Puts a verdict to the test in a lab where a container dies of its true cause as long as that is there. */
function experiment(
  { staged, truth, accepted }: Subject,
  named: NamedCause,
): Concluded & { readonly tested: boolean } {
  const { cause, arms } = chooseArms(staged, named, {
    suspects: listSuspects({ ...truth, killer: named.killer }),
    watchSeconds: 30,
  });
  const removal = interventionFor(truth.killer, truth.how);
  const needed = (isRemoval(removal) ? takeAway(staged, removal)?.made : undefined) ?? [];
  const runs = arms.map(({ arm }) => {
    const lives = needed.length > 0 && needed.every((change) => arm.made.includes(change));
    const end: SeenEnd = lives
      ? { killer: 'none', seconds: 40 }
      : { killer: truth.killer, how: truth.how, seconds: 10 };
    return { arm, ends: new Array<SeenEnd>(RUNS).fill(end) };
  });
  const endsOf = (kind: string): SeenEnd[] =>
    runs.filter(({ arm }) => arm.kind === kind).flatMap(({ ends }) => ends);
  const concluded = conclude({
    named,
    cause,
    accepted,
    asItWas: endsOf('as-it-was'),
    withoutCause: endsOf('without-cause'),
    innocents: runs
      .filter(({ arm }) => arm.kind === 'without-innocent')
      .map(({ arm, ends }) => ({ killer: arm.killer ?? 'unknown', ends })),
  });
  return { ...concluded, tested: cause.state === 'taken' };
}

/** Wrong verdicts about real deaths: the nearest suspect of each, then the next one, until there are enough. */
function plantWrong(): { readonly subject: Subject; readonly named: NamedCause }[] {
  const rounds = [0, 1, 2, 3].flatMap((place) =>
    subjects.flatMap((subject) => {
      const near = listSuspects(subject.truth).filter((killer) =>
        isRemoval(interventionFor(killer, undefined)),
      );
      const killer = near[place];
      return killer === undefined || subject.accepted.includes(killer)
        ? []
        : [{ subject, named: { killer } }];
    }),
  );
  return rounds.slice(0, PLANTED);
}

describe('verdicts about real deaths, put to the test in a simulated lab', () => {
  it(`refutes at least 38 of ${PLANTED} in which another killer was written`, () => {
    const planted = plantWrong();
    expect(planted).toHaveLength(PLANTED);
    const kept = planted.flatMap(({ subject, named }) => {
      const { conclusion, says } = experiment(subject, named);
      return conclusion === 'refuted' ? [] : [`${subject.name} as ${named.killer}: ${conclusion}: ${says}`];
    });
    expect(kept.length, kept.join('\n')).toBeLessThanOrEqual(PLANTED - 38);
  });

  it('refutes no right one, and confirms each whose cause can be taken away beside an innocent', () => {
    const found = subjects.map((subject) => ({ subject, ...experiment(subject, subject.truth) }));
    const conclusions = new Set(found.filter(({ tested }) => tested).map(({ conclusion }) => conclusion));
    expect(
      found.filter(({ conclusion }) => conclusion === 'refuted').map(({ subject }) => subject.name),
    ).toEqual([]);
    expect([...conclusions]).toEqual(['confirmed']);
    const killers = new Set(found.filter(({ tested }) => tested).map(({ subject }) => subject.truth.killer));
    expect(killers.size).toBeGreaterThanOrEqual(18);
  });
});

/** What a cell of the table in docs/prove.md says of its runs: `2 of 2 \`memcg-oom\` (preemption)`. */
const SEEN = /^(\d+) of (\d+) `([\w-]+)`(?: \((\w+)\))?/;

/** The real experiments of docs/prove.md in which a suspect was taken away that the verdict does not name. */
const real = readProjectText('docs/prove.md')
  .split('\n')
  .flatMap((line) => {
    const [address = '', , was = '', , spared = ''] = line
      .split('|')
      .slice(1)
      .map((text) => text.trim());
    const [, wasCount = '', , died] = SEEN.exec(was) ?? [];
    const [, sparedCount = '', , still, innocent] = SEEN.exec(spared) ?? [];
    if (died === undefined || still === undefined) return [];
    const endsOf = (killer: string, count: string): SeenEnd[] =>
      new Array<SeenEnd>(Number(count)).fill({ killer: killer as Killer, seconds: 10 });
    const named = (innocent ?? 'seccomp') as Killer;
    return [{ address, named, asItWas: endsOf(died, wasCount), spared: endsOf(still, sparedCount) }];
  });

describe('real experiments', () => {
  it('are those of the table', () => {
    expect(real.length).toBeGreaterThanOrEqual(38);
  });

  it.each(real)('of $address refute a verdict that names $named', ({ named, asItWas, spared }) => {
    const { conclusion } = conclude({
      named: { killer: named },
      cause: { state: 'taken', isPartial: false },
      accepted: [],
      asItWas,
      withoutCause: spared,
      innocents: [],
    });
    expect(conclusion).toBe('refuted');
  });
});
