import { describe, expect, it } from 'vitest';
import { AXES, DEFAULT_VARIANT, type Axis, type Variant } from '../../../../lab/model/axes/axes.ts';
import type { Condition, Facts } from '../../../../lab/model/declared/condition.ts';
import { deriveFacts } from '../../../../lab/plan/variants/facts.ts';
import { findRefusal, findStartFailure, listNotes } from '../../../../lab/plan/variants/find-rule.ts';
import { matchesCondition } from '../../../../lab/plan/variants/match-condition.ts';
import { parseVariant } from '../../../../lab/plan/variants/parse-variant.ts';
import { getBuildableVariant } from '../../../../lab/plan/select/buildable-variant.ts';
import { configWith } from '../../project-files.ts';

const config = configWith();
const { matrix } = config;

const variantOf = (...words: string[]): Variant => parseVariant(matrix, words);
const refusalOf = (...words: string[]): string | undefined => findRefusal(matrix, variantOf(...words))?.rule;
const factsOf = (...words: string[]): Facts => deriveFacts(variantOf(...words), matrix);
const notesOf = (...words: string[]): string[] => listNotes(matrix, variantOf(...words)).map(({ id }) => id);

/** Every variant that differs from the default on up to three axes. */
function* variantsNearDefault(): Generator<Variant> {
  const values = (axis: Axis): string[] => [
    ...matrix.axes[axis].values.slice(1),
    ...(matrix.axes[axis].example === undefined ? [] : [matrix.axes[axis].example]),
    // A pattern accepts it, and it is no example: a rule says why it cannot be had.
    ...(axis === 'containerd' ? ['1.4.12'] : []),
  ];
  for (const [i, a] of AXES.entries())
    for (const va of values(a)) {
      yield { ...DEFAULT_VARIANT, [a]: va };
      for (const [j, b] of AXES.slice(i + 1).entries())
        for (const vb of values(b)) {
          yield { ...DEFAULT_VARIANT, [a]: va, [b]: vb };
          for (const c of AXES.slice(i + j + 2))
            for (const vc of values(c)) yield { ...DEFAULT_VARIANT, [a]: va, [b]: vb, [c]: vc };
        }
    }
}

describe('facts of a variant', () => {
  it('are what the suite ships unless an axis says otherwise', () => {
    expect(factsOf()).toEqual({
      kernelVersion: '6.1',
      kernelSuite: 'bookworm',
      kubernetesVersion: '1.34.2',
      systemdVersion: '252',
      containerdVersion: '1.6.20',
      runcVersion: '1.1.5',
      kubeletDriver: 'systemd',
      runtimeDriver: 'systemd',
      oomTakes: 'container',
      memoryMiB: '3072',
    });
    expect(
      factsOf('os=trixie', 'kernel=6.1@bookworm', 'containerd=2.1.4', 'runtime=runc@1.1.12', 'nodes=1+2'),
    ).toMatchObject({
      kernelVersion: '6.1',
      kernelSuite: 'bookworm',
      kubernetesVersion: '1.34.2',
      systemdVersion: '257',
      containerdVersion: '2.1.4',
      runcVersion: '1.1.12',
      memoryMiB: '9216',
    });
  });

  it.each([
    ['kubernetes=1.27', 'process'],
    ['kubernetes=1.31', 'container'],
    ['cgroup=v1', 'process'],
    ['knobs=single-process-oom', 'process'],
    ['knobs=tight', 'container'],
  ])('know what an OOM kill takes: with %s one %s', (word, taken) => {
    expect(factsOf(word).oomTakes).toBe(taken);
  });

  it('know the release date of runsc, by name, exactly, and in the suite', () => {
    expect(factsOf('runtime=runsc@20230927+systemd-cgroup').runscVersion).toBe('20230927');
    expect(factsOf('runtime=runsc@20231202080848-1f7806d17489').runscVersion).toBe('20231202');
    expect(factsOf('runtime=runsc@apt').runscVersion).toBe('20221219');
    expect(factsOf().runscVersion).toBeUndefined();
  });

  it('do not guess the version of a local build', () => {
    const facts = factsOf('kernel=file:./7.1/vmlinuz', 'containerd=file:./2.0', 'runtime=runsc@file:./1');
    expect(facts).not.toHaveProperty('kernelVersion');
    expect(facts).not.toHaveProperty('kernelSuite');
    expect(facts).not.toHaveProperty('containerdVersion');
    expect(facts).not.toHaveProperty('runscVersion');
  });

  it.each([
    ['1.30.14', '2.1.4', 'systemd'],
    ['1.31', '1.7.27', 'systemd'],
    ['1.31', '2.1.4', 'cgroupfs'],
    ['1.34.2@file:./kubelet', '2.1.4', 'cgroupfs'],
    ['1.31', 'file:./out', undefined],
    ['1.30.14', 'file:./out', 'systemd'],
  ])('say which driver kubelet %s takes beside containerd %s: %s', (kubernetes, containerd, driver) => {
    const words = ['drivers=systemd+cgroupfs', `kubernetes=${kubernetes}`, `containerd=${containerd}`];
    expect(factsOf(...words).kubeletDriver).toBe(driver);
  });
});

describe('a condition', () => {
  const holds = (condition: Condition, facts: Facts = {}, variant: Partial<Variant> = {}): boolean =>
    matchesCondition(condition, { ...DEFAULT_VARIANT, ...variant }, facts);

  it.each([
    ['>=1.32', '1.34', true],
    ['>=1.34', '1.34.2', true],
    ['<=1.34', '1.34.2', true],
    ['>1.34', '1.34.2', false],
    ['<1.9', '1.34.2', false],
    ['>=1.28 <1.32', '1.31.14', true],
    ['>=1.28 <1.32', '1.32.0', false],
    ['<1.30', '1.29.14@file:./kubelet-1.36', true],
    ['1.2?.*', '1.29.14', true],
    ['1.3', '1.34', false],
  ])('%s on Kubernetes %s: %s', (text, kubernetes, expected) => {
    expect(holds({ kubernetes: [text] }, {}, { kubernetes })).toBe(expected);
  });

  it('takes another axis or fact in braces', () => {
    const tooBig: Condition = { memoryMiB: ['>{hostMemoryMiB}'] };
    expect(holds(tooBig, { memoryMiB: '9216', hostMemoryMiB: '8192' })).toBe(true);
    expect(holds(tooBig, { memoryMiB: '8192', hostMemoryMiB: '8192' })).toBe(false);
    expect(holds({ kernelSuite: ['{os}'] }, { kernelSuite: 'bookworm' })).toBe(true);
  });

  it('does not hold for what is not known', () => {
    expect(holds({ containerdVersion: ['*'] })).toBe(false);
    expect(holds({ containerdVersion: ['<9'] })).toBe(false);
    expect(holds({ memoryMiB: ['>{hostMemoryMiB}'] }, { memoryMiB: '1' })).toBe(false);
  });
});

describe('rules', () => {
  it('refuse nothing about the default variant', () => {
    expect(findRefusal(matrix, DEFAULT_VARIANT)).toBeUndefined();
  });

  it('refuse no value for itself but those that depend on another axis', () => {
    const refused = AXES.flatMap((axis) =>
      matrix.axes[axis].values.flatMap((value) => refusalOf(`${axis}=${value}`) ?? []),
    );
    expect(refused.sort()).toEqual([
      'cri-v1-needs-containerd-1.6',
      'cri-v1-needs-containerd-1.6',
      'few-user-namespaces-needs-kubelet-1.35',
      'kernel-of-the-same-suite',
      'new-shim-needs-containerd-1.7',
      'unlimited-swap-needs-kubelet-1.29',
    ]);
  });

  it('are each the first to refuse some variant, and so are start failures and notes', () => {
    const reached = new Set<string>();
    for (const variant of variantsNearDefault()) {
      const facts = deriveFacts(variant, matrix, { memoryMiB: 8192 });
      const refusal = findRefusal(matrix, variant, facts);
      if (refusal !== undefined) reached.add(refusal.rule);
      else for (const note of listNotes(matrix, variant, facts)) reached.add(note.id);
      if (refusal === undefined) reached.add(findStartFailure(matrix, variant, facts)?.id ?? '');
    }
    // Rules may speak of parameters as well, and of versions that have no name.
    const unknown = 'runsc@file:./runsc+systemd-cgroup';
    for (const [variant, parameters] of [
      [variantOf('runtime=runsc@20210301.0'), {}],
      [variantOf('drivers=cgroupfs+cgroupfs', `runtime=${unknown}`), {}],
      [DEFAULT_VARIANT, { supercronic: '0.2.31' }],
      [{ ...DEFAULT_VARIANT, kernel: '5.10@bullseye' }, { guard: 'min-ttl' }],
      [{ ...DEFAULT_VARIANT, kernel: '5.10@bullseye' }, { cure: 'reclaim' }],
      [{ ...DEFAULT_VARIANT, cgroup: 'v1' }, { cure: 'reclaim' }],
    ] as const) {
      const usual = deriveFacts(variant, matrix);
      reached.add(findRefusal(matrix, variant, { ...usual, ...parameters })?.rule ?? '');
    }
    const declared = [...matrix.rules, ...matrix.startFailures, ...matrix.notes].map(({ id }) => id);
    expect(declared.filter((id) => !reached.has(id))).toEqual([]);
    // What since and until of a bundle refuse.
    expect([...reached].filter((id) => id !== '' && !declared.includes(id)).sort()).toEqual([
      'fail-cgroup-v1-needs-kubelet-1.31',
      'few-user-namespaces-needs-kubelet-1.35',
      'limited-swap-needs-kubelet-1.28',
      'max-1-pull-needs-kubelet-1.27',
      'max-2-pulls-needs-kubelet-1.27',
      'single-process-oom-needs-kubelet-1.32',
      'unlimited-swap-needs-kubelet-1.29',
    ]);
  });

  it('say why, and where that can be checked', () => {
    for (const { id, reason, source } of [...matrix.rules, ...matrix.startFailures, ...matrix.notes]) {
      expect(reason.length, id).toBeGreaterThan(30);
      expect(source, id).toMatch(/^(https:\/\/|docs\/)/);
    }
  });

  it.each([
    ['v1-needs-memcg-v1', 'os=trixie cgroup=v1'],
    ['v1-needs-memcg-v1', 'kernel=6.12@trixie cgroup=v1'],
    ['v1-needs-memcg-v1', 'kernel=6.12@bookworm-backports cgroup=v1'],
    [undefined, 'os=trixie kernel=6.1@bookworm cgroup=v1'],
    ['v1-needs-systemd-below-258', 'os=sid kernel=6.1@bookworm cgroup=v1'],
    [undefined, 'os=bullseye kubernetes=1.22 cgroup=v1'],
    [undefined, 'cgroup=v1 kubernetes=1.36'],
    ['fail-cgroup-v1-on-v1', 'cgroup=v1 kubernetes=1.36 knobs=fail-cgroup-v1'],
    ['single-process-oom-on-v1', 'cgroup=v1 knobs=single-process-oom'],
    ['single-process-oom-needs-kubelet-1.32', 'kubernetes=1.31 knobs=single-process-oom'],
    [undefined, 'kubernetes=1.32.9 knobs=single-process-oom'],
    ['cri-v1-needs-containerd-1.6', 'os=bullseye kubernetes=1.27'],
    [undefined, 'os=bullseye kubernetes=1.25.16'],
    ['cri-v1-needs-containerd-1.6', 'containerd=1.5.11'],
    ['containerd-2-needs-kubelet-1.23', 'os=sid kubernetes=1.22'],
    ['containerd-2-needs-kubelet-1.23', 'containerd=2.2.3 kubernetes=1.22.17'],
    [undefined, 'containerd=2.2.3 kubernetes=1.23.17'],
    ['containerd-1.4-has-no-go-modules', 'containerd=1.4.12 kubernetes=1.22'],
    ['new-shim-needs-containerd-1.7', 'runtime=runsc@20260905'],
    [undefined, 'runtime=runsc@20260905 os=trixie'],
    [undefined, 'runtime=runsc@20260224'],
    ['runsc-not-in-bullseye', 'os=bullseye kubernetes=1.22 runtime=runsc@apt'],
    [
      'runsc-systemd-cgroup-needs-slices',
      'drivers=cgroupfs+cgroupfs runtime=runsc@file:./runsc+systemd-cgroup',
    ],
    [
      'runsc-systemd-cgroup-needs-slices',
      'drivers=cgroupfs+cgroupfs runtime=runsc@20220228.0+systemd-cgroup',
    ],
    [undefined, 'drivers=cgroupfs+cgroupfs runtime=runsc@20230927+systemd-cgroup'],
    [undefined, 'drivers=cgroupfs+cgroupfs runtime=runsc@20221203'],
    ['runsc-without-cgroup-v2', 'runtime=runsc@20211122.0'],
    [undefined, 'runtime=runsc@20211122.0 cgroup=v1'],
    ['kernel-of-the-same-suite', 'kernel=6.1@bookworm'],
    [undefined, 'containerd=file:./out kubernetes=1.22 runtime=runsc@file:./runsc kernel=file:./vmlinuz'],
  ])('answer %s about %s', (rule, words) => {
    expect(refusalOf(...words.split(' '))).toBe(rule);
  });

  it('know the memory of the host', () => {
    const variant = variantOf('nodes=1+2');
    const refusal = (memoryMiB: number): string | undefined =>
      findRefusal(matrix, variant, deriveFacts(variant, matrix, { memoryMiB }))?.rule;
    expect(refusal(9215)).toBe('nodes-need-host-memory');
    expect(refusal(9216)).toBeUndefined();
  });

  it('stop verbs that need one world', () => {
    expect(() => getBuildableVariant(config, ['os=trixie', 'cgroup=v1'])).toThrow(
      /trixie_v1 cannot be built: .*MEMCG_V1.* \(rule v1-needs-memcg-v1\)/,
    );
  });
});

describe('start failures and notes', () => {
  it('declare that a systemd runtime cannot start pods of a cgroupfs kubelet, unless it is healed', () => {
    const failureOf = (...words: string[]): string | undefined =>
      findStartFailure(matrix, variantOf(...words))?.id;
    expect(failureOf('cgroupfs+systemd')).toBe('cgroupfs-kubelet-with-systemd-runtime');
    expect(failureOf('cgroupfs+systemd', 'cgroup=v1')).toBe('cgroupfs-kubelet-with-systemd-runtime');
    expect(failureOf('cgroupfs+systemd', 'containerd=2.1.4')).toBeUndefined();
    expect(failureOf('systemd+cgroupfs')).toBeUndefined();
  });

  it.each([
    ['runsc-expects-slices', 'runsc@20230927+systemd-cgroup', 'v2'],
    ['runsc-expects-slices', 'runsc@20240527.0+systemd-cgroup', 'v2'],
    [undefined, 'runsc@20230927+systemd-cgroup', 'v1'],
    ['runsc-calls-path-invalid', 'runsc@20240603.0+systemd-cgroup', 'v2'],
    ['runsc-calls-path-invalid', 'runsc@20240916+systemd-cgroup', 'v1'],
    // Without the flag runsc takes the path as it is.
    [undefined, 'runsc@20240916', 'v2'],
    ['runsc-busy-cgroup-procs', 'runsc@20221203', 'v2'],
    ['runsc-busy-cgroup-procs', 'runsc@20221216', 'v2'],
    [undefined, 'runsc@20230102.0', 'v2'],
    [undefined, 'runsc@20221203', 'v1'],
    // The path is looked at before anything enters a cgroup.
    ['runsc-expects-slices', 'runsc@20221203+systemd-cgroup', 'v2'],
  ])('declare %s of %s with a cgroupfs kubelet on cgroup %s', (id, runtime, cgroup) => {
    const words = ['drivers=cgroupfs+cgroupfs', `runtime=${runtime}`, `cgroup=${cgroup}`];
    expect(refusalOf(...words)).toBeUndefined();
    expect(findStartFailure(matrix, variantOf(...words))?.id).toBe(id);
    const usual = variantOf(`runtime=${runtime}`, `cgroup=${cgroup}`);
    expect(findStartFailure(matrix, usual)).toBeUndefined();
  });

  it('declare that the runsc of Debian starts no pod, unless its sandbox fails before', () => {
    const failureOf = (...words: string[]): unknown => findStartFailure(matrix, variantOf(...words))?.id;
    for (const words of [[], ['cgroup=v1'], ['os=trixie'], ['drivers=cgroupfs+cgroupfs']]) {
      expect(refusalOf('runtime=runsc@apt', ...words)).toBeUndefined();
      expect(failureOf('runtime=runsc@apt', ...words)).toBe('runsc-start-keeps-the-pipe');
    }
    // The shim of runc, which Debian's runsc runs under, does not ask for the cgroup of the pod, but passes the flag on.
    const withFlag = ['drivers=cgroupfs+cgroupfs', 'runtime=runsc@apt+systemd-cgroup'];
    expect(refusalOf(...withFlag)).toBeUndefined();
    expect(failureOf(...withFlag)).toBe('runsc-expects-slices');
  });

  it('tell those of which the control plane runs, as where the kubelet asks its runtime for the driver', () => {
    const failureOf = (...words: string[]): unknown[] => {
      const found = findStartFailure(matrix, variantOf(...words));
      return [found?.id, found?.pods];
    };
    const runsc = 'runtime=runsc@20240916+systemd-cgroup';
    expect(failureOf('systemd+cgroupfs', 'containerd=2.1.4', runsc)).toEqual([
      'runsc-calls-path-invalid',
      'workload',
    ]);
    expect(failureOf('cgroupfs+systemd', runsc)).toEqual(['cgroupfs-kubelet-with-systemd-runtime', 'all']);
  });

  it('say what to expect of variants that do run', () => {
    expect(notesOf('systemd+cgroupfs')).toEqual(['driver-mismatch-kills-pods']);
    expect(notesOf('systemd+cgroupfs', 'containerd=2.1.4')).toEqual(['drivers-healed']);
    const label = 'oom-may-be-reported-as-error-on-v1';
    expect(notesOf('cgroup=v1')).toEqual([label]);
    expect(notesOf('systemd+cgroupfs', 'cgroup=v1')).toEqual(['driver-mismatch-escapes-on-v1', label]);
    expect(notesOf('cgroup=v1', 'kubernetes=1.35')).toEqual(['kubelet-1.35-on-v1', label]);
    expect(notesOf('trixie', 'kernel=6.1@bookworm', 'cgroup=v1')).toEqual([
      'v1-forced-on-systemd-256',
      label,
    ]);
    expect(notesOf('runsc@20230927')).toEqual(['runsc-limit-not-enforced']);
    expect(notesOf('runsc@20230927+systemd-cgroup')).toEqual([]);
    expect(notesOf('containerd=1.6.2')).toEqual(['oom-reported-as-error']);
    expect(notesOf('default')).toEqual([]);
  });
});
