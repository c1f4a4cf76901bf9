import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../lab/model/errors/errors.ts';
import { variantOfBug } from '../../../../lab/plan/bugs/bug-cells.ts';
import { deriveFacts } from '../../../../lab/plan/variants/facts.ts';
import { getBug } from '../../../../lab/plan/bugs/find-bug.ts';
import { findRefusal, findUnmetRequirement, outcomeFor } from '../../../../lab/plan/variants/find-rule.ts';
import { fillScenario } from '../../../../lab/plan/parameters/fill-scenario.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { describeOutcome } from '../../../../lab/model/saved/describe-outcome.ts';
import type { LoadedScenario } from '../../../../lab/model/declared/scenario.ts';
import { configWith, problemsAfter, problemsWith, shippedText } from '../../project-files.ts';

const FILE = 'bugs/driver-mismatch-kill-loop.yaml';
const config = configWith();

/** The problems of the configuration with one text of the bug replaced. */
const problemsOf = (from: string, to: string) => problemsAfter(FILE, from, to);

describe('the shipped bugs', () => {
  it('have the two that began it all', () => {
    expect(config.bugs.map((bug) => bug.id)).toEqual(
      expect.arrayContaining(['driver-mismatch-kill-loop', 'gvisor-limit-not-enforced']),
    );
  });

  it.each([
    ['driver-mismatch-kill-loop', 'kubelet-cgroup-missing', 'none'],
    ['gvisor-limit-not-enforced', 'none', 'memcg-oom'],
  ])('%s expects %s of the affected variant and %s of the fixed one', (id, affected, fixed) => {
    const bug = getBug(config.bugs, id);
    const { scenario } = config.scenarios.find((loaded) => loaded.scenario.name === bug.scenario)!;
    const killers = [bug.affected, bug.fixed].map((described) => {
      const variant = variantOfBug(described);
      return outcomeFor(scenario, variant, deriveFacts(variant, config.matrix)).killer;
    });
    expect(killers).toEqual([affected, fixed]);
  });

  it('have variants that no rule and no scenario refuses', () => {
    for (const bug of config.bugs) {
      const { scenario } = config.scenarios.find((loaded) => loaded.scenario.name === bug.scenario)!;
      const described = [bug.affected, bug.fixed, ...bug.controls.map((control) => control.variant)];
      for (const variant of described.map(variantOfBug)) {
        const facts = deriveFacts(variant, config.matrix);
        expect(findRefusal(config.matrix, variant), bug.id).toBeUndefined();
        expect(findUnmetRequirement(scenario, variant, facts), bug.id).toBeUndefined();
      }
    }
  });
});

describe('the mismatch of drivers', () => {
  const { scenario } = config.scenarios.find((loaded) => loaded.scenario.name === 'minute-survivor')!;
  const killerOn = (axes: object): string => {
    const variant = variantOfBug({ drivers: 'systemd+cgroupfs', ...axes });
    return outcomeFor(scenario, variant, deriveFacts(variant, config.matrix)).killer;
  };

  it('kills nobody on cgroup v1, and nobody where the kubelet asks its runtime for the driver', () => {
    expect(killerOn({ cgroup: 'v1' })).toBe('none');
    expect(killerOn({ containerd: '2.1.4' })).toBe('none');
    expect(killerOn({ containerd: '2.1.4', kubernetes: '1.30.14' })).toBe('kubelet-cgroup-missing');
    expect(killerOn({ containerd: '1.7.27' })).toBe('kubelet-cgroup-missing');
  });
});

describe('the limit under gVisor', () => {
  const { scenario } = config.scenarios.find((loaded) => loaded.scenario.name === 'sandbox-limit')!;
  const killerOn = (runtime: string, axes: object = {}): string => {
    const variant = variantOfBug({ runtime, ...axes });
    return outcomeFor(scenario, variant, deriveFacts(variant, config.matrix)).killer;
  };

  it('is missing in releases before 20260615 unless systemd-cgroup is on, with systemd paths alone', () => {
    expect(killerOn('runsc@20260224')).toBe('none');
    expect(killerOn('runsc@20231202080848-1f7806d17489')).toBe('none');
    expect(killerOn('runsc@20260905')).toBe('memcg-oom');
    expect(killerOn('runsc@20231202080848-1f7806d17489+systemd-cgroup')).toBe('memcg-oom');
    expect(killerOn('runsc@20230927', { drivers: 'cgroupfs+cgroupfs' })).toBe('memcg-oom');
    expect(killerOn('runc@1.1.12')).toBe('memcg-oom');
  });
});

/** What a scenario expects under some parameters, on a variant with some axes, in words. */
function boundsOf(name: string, parameters: Record<string, string>, axes: object = {}): string {
  const { source } = config.scenarios.find((loaded) => loaded.scenario.name === name)!;
  const filled = fillScenario({ source } as LoadedScenario, parameters);
  const variant = variantOfBug({ ...axes });
  const known = { ...deriveFacts(variant, config.matrix), ...filled.parameters };
  return describeOutcome(outcomeFor(filled.scenario, variant, known));
}

describe('dying cgroups', () => {
  it.each([{}, { os: 'trixie' }, { os: 'bullseye' }, { cgroup: 'v1' }])('pile up: %j', (axes) => {
    expect(boundsOf('dying-cgroups', {}, axes)).toContain('last of dying-cgroups at least 450');
  });

  it.each<[Record<string, string>, object, number]>([
    [{ file: 'deleted' }, {}, 50],
    [{ cure: 'drop-caches' }, {}, 50],
    [{}, { os: 'sid' }, 250],
  ])('are freed: %j %j, all but %i', (parameters, axes, left) => {
    expect(boundsOf('dying-cgroups', parameters, axes)).toContain(`last of dying-cgroups at most ${left}`);
  });
});

describe('units that systemd keeps', () => {
  it.each<[string, object, string]>([
    ['scopes', { os: 'bullseye' }, 'at least 1'],
    ['scopes', {}, 'at most 0'],
    ['scopes', { os: 'sid' }, 'at most 0'],
    ['mounts', { os: 'bullseye' }, 'at most 0'],
  ])('of %s on %j: %s', (leak, axes, limit) => {
    expect(boundsOf('leaked-units', { leak }, axes)).toContain(`last of units-left ${limit}`);
  });
});

describe('supercronic', () => {
  it.each([
    { supercronic: '0.2.30' },
    { supercronic: '0.2.29' },
    { supercronic: '0.2.48', flag: '-no-reap' },
  ])('piles up zombies until forks are refused: %j', (parameters) => {
    const said = boundsOf('supercronic-zombies', parameters);
    expect(said).toContain('max of zombies at least 30');
    expect(said).toContain('max of forks-refused at least 1');
  });

  it.each([
    { supercronic: '0.2.32' },
    { supercronic: '0.2.33' },
    { supercronic: '0.2.48' },
    { init: 'tini' },
    { supercronic: '0.2.45', init: 'tini', flag: '-no-reap' },
  ])('leaves none: %j', (parameters) => {
    const said = boundsOf('supercronic-zombies', parameters);
    expect(said).toContain('max of zombies at most 3');
    expect(said).toContain('max of forks-refused at most 0');
  });

  it('loses the status of jobs between 0.2.31 and 0.2.33', () => {
    const failing = (supercronic: string): boolean =>
      boundsOf('supercronic-lost-status', { supercronic }).includes('max of jobs-failed at least 1');
    expect(['0.2.30', '0.2.32', '0.2.33', '0.2.48'].map(failing)).toEqual([false, true, false, false]);
  });

  it('is refused in a release that Go cannot fetch, and in one that nobody could have made', () => {
    const { skipped, cells } = planCells(config, ['default/supercronic-zombies[supercronic=0.2.31]']);
    expect([skipped[0]?.rule, cells.length]).toEqual(['supercronic-not-on-the-proxy', 0]);
    const file = 'scenarios/supercronic-zombies/scenario.yaml';
    expect(
      problemsAfter(file, 'component: tini, version: 0.19.0', 'component: tiny, version: 0.19.0'),
    ).toEqual([
      expect.objectContaining({ path: 'images.0.also.0.component', received: '"tiny"', nearest: 'tini' }),
    ]);
    expect(
      problemsAfter(file, 'component: tini, version: 0.19.0', 'component: tini, version: 0.18.0'),
    ).toEqual([
      expect.objectContaining({
        path: 'images.0.also.0.version',
        expected: 'a version of tini that can be built or downloaded, such as 0.19.0',
      }),
    ]);
  });
});

describe('finding a bug', () => {
  it.each([
    'driver-mismatch-kill-loop',
    'https://github.com/kubernetes/kubernetes/issues/131567',
    'https://github.com/kubernetes/kubernetes/issues/131567/',
    'https://github.com/kubernetes/kubernetes/issues/131567#issuecomment-1?x=y',
    'http://www.github.com/Kubernetes/kubernetes/pull/131567?notification=1',
    'github.com/kubernetes/kubernetes/issues/131567',
    'kubernetes#131567',
    'kubernetes/kubernetes#131567',
  ])('takes %s', (word) => {
    expect(getBug(config.bugs, word).id).toBe('driver-mismatch-kill-loop');
  });

  it.each(['netes#131567', 'https://github.com/kubernetes/kubernetes/issues/1315670', 'gvisor#131567'])(
    'does not take %s for it',
    (word) => expect(() => getBug(config.bugs, word)).toThrow(UsageError),
  );

  it('names the nearest id', () => {
    expect(() => getBug(config.bugs, 'driver-mismatch-kil-loop')).toThrow(
      'there is no bug "driver-mismatch-kil-loop" (did you mean "driver-mismatch-kill-loop"?)',
    );
  });

  it('does not choose between two bugs of the same number', () => {
    const [bug] = config.bugs;
    const twin = { ...bug!, id: 'twin', links: ['https://github.com/other/kubernetes/issues/131567'] };
    expect(() => getBug([...config.bugs, twin], 'kubernetes#131567')).toThrow(/fits several bugs: .*, twin/);
    expect(getBug([...config.bugs, twin], 'other/kubernetes#131567').id).toBe('twin');
  });
});

describe('a broken bug', () => {
  it('is told with all of its problems at once, and the nearest names', () => {
    const text = shippedText(FILE)
      .replace('id: driver-mismatch-kill-loop', 'id: another-name')
      .replace('scenario: minute-survivor', 'scenario: minute-survivr')
      .replace('drivers: systemd+cgroupfs', 'drivers: systemd+cgroupf');
    expect(problemsWith({ [FILE]: text })).toEqual([
      expect.objectContaining({
        file: FILE,
        path: 'id',
        expected: '"driver-mismatch-kill-loop", its file',
      }),
      expect.objectContaining({ file: FILE, path: 'affected.drivers', nearest: 'systemd+cgroupfs' }),
      expect.objectContaining({ file: FILE, path: 'scenario', nearest: 'minute-survivor' }),
    ]);
  });

  it('has no mistake that hides another: sides alike, a missing script and a measure of no such name', () => {
    const scenario = 'scenarios/supercronic-zombies/scenario.yaml';
    const bug = 'bugs/supercronic-zombies.yaml';
    const changes = {
      [bug]: shippedText(bug)
        .replace("fixed: { supercronic: '0.2.33' }", "fixed: { supercronic: '0.2.30' }")
        .replace('status: fixed-upstream', 'status: fixed'),
      [scenario]: shippedText(scenario)
        .replace('measure: zombies', 'measure: zombis')
        .replace(/file: (\w+)\.sh/, 'file: $1s.sh'),
    };
    expect(problemsWith(changes).map(({ file, path }) => [file, path])).toEqual(
      expect.arrayContaining([
        [scenario, 'samplers.0.file'],
        [scenario, 'expect.measures.0.measure'],
        [bug, 'status'],
        [bug, 'fixed'],
      ]),
    );
  });

  it('names an unknown field with the nearest one', () => {
    expect(problemsOf('whatToSee:', 'whatToSe:')).toContainEqual(
      expect.objectContaining({ path: 'whatToSe', nearest: 'whatToSee' }),
    );
  });

  it('compares two variants of which the scenario expects different things', () => {
    expect(problemsOf('affected: { drivers: systemd+cgroupfs }', 'affected: { os: trixie }')).toEqual([
      expect.objectContaining({ path: 'scenario', received: 'minute-survivor, which expects none of both' }),
    ]);
    expect(
      problemsOf('affected: { drivers: systemd+cgroupfs }', 'affected: { drivers: systemd+systemd }'),
    ).toContainEqual(expect.objectContaining({ path: 'fixed', expected: 'another variant than affected' }));
  });

  it('is not blamed for a mistake of its scenario, whose parameters nobody knows then', () => {
    const scenario = 'scenarios/supercronic-zombies/scenario.yaml';
    const problems = problemsAfter(scenario, 'measure: zombies', 'measure: zombis');
    expect(problems.map(({ file }) => file)).toEqual([scenario]);
  });

  it('shares no link with another one', () => {
    const taken = 'https://github.com/google/gvisor/issues/10264';
    expect(problemsOf('https://github.com/kubernetes/kubernetes/issues/105762', taken)).toEqual([
      expect.objectContaining({ path: 'links.0', expected: 'a link of one bug only' }),
    ]);
  });

  it('may have a table of known variants', () => {
    const file = 'bugs/driver-mismatch-kill-loop.yaml';
    expect(problemsAfter(file, 'os: [trixie, sid]', 'os: [trixy, sid]')).toEqual([
      expect.objectContaining({ file, path: 'table.2.os.0', nearest: 'trixie' }),
    ]);
  });
});
