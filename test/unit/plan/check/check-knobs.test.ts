import { describe, expect, it } from 'vitest';
import { parseVariant } from '../../../../lab/plan/variants/parse-variant.ts';
import { findRefusal } from '../../../../lab/plan/variants/find-rule.ts';
import { findParent } from '../../../../lab/plan/worlds/plan-worlds.ts';
import { configWith, problemsWith, shippedText } from '../../project-files.ts';

/** The shipped matrix with one more knob. */
function matrixWith(settings: string): Readonly<Record<string, string>> {
  const text = shippedText('matrix.yaml')
    .replace('      - few-user-namespaces\n', '      - few-user-namespaces\n      - mine\n')
    .replace('\nknobs:\n', `\nknobs:\n  mine: { about: mine, ${settings} }\n`);
  return { 'matrix.yaml': text };
}

const SWAP = 'swap: { on: file, size: 1Gi }';
const KUBELET = (behavior: string, gates = 'NodeSwap: true'): string =>
  `kubelet: { failSwapOn: false, featureGates: { ${gates} }, memorySwap: { swapBehavior: ${behavior} } }`;

describe('what a knob sets', () => {
  it.each([
    `${SWAP}, ${KUBELET('LimitedSwap')}`,
    `swap: { on: zram, size: 512Mi }, ${KUBELET('NoSwap')}`,
    'packages: [uidmap]',
    'units: { containerd.service.d/20-oom.conf: "[Service]\\nOOMPolicy=continue\\n", eater.service: \'[Service]\' }',
    'modules: [zram, dm_delay]',
    "containerd: { plugins: { 'io.containerd.grpc.v1.cri': { max_container_log_line_size: 100 } } }",
    "controllerManager: { flags: { terminated-pod-gc-threshold: '1' } }",
    'apiServer: { featureGates: { StorageVersionAPI: true } }',
    'kubelet: { evictionMaxPodGracePeriod: -1 }',
    "kubelet: { singleProcessOOMKill: true }, since: '1.34.2', source: docs/matrix.md",
  ])('is taken: %s', (settings) => {
    expect(problemsWith(matrixWith(settings))).toEqual([]);
  });

  // The named releases are checked from the first, 1.34.
  it.each([
    [`${SWAP}, ${KUBELET('UnlimitedSwap')}`, 'kubelet.memorySwap.swapBehavior', 'LimitedSwap'],
    [`${SWAP}, ${KUBELET('LimitedSwap', 'NoodSwap: true')}`, 'kubelet.featureGates.NoodSwap', 'NodeSwap'],
    [`${SWAP}, ${KUBELET('LimitedSwap', 'NodeSwap: false')}`, 'kubelet.featureGates.NodeSwap', undefined],
    [SWAP, 'kubelet.failSwapOn', undefined],
    [`swap: { on: file, size: 20Gi }, ${KUBELET('NoSwap')}`, 'swap.size', undefined],
    [`swap: { on: disk, size: 1Gi }, ${KUBELET('NoSwap')}`, 'swap.on', undefined],
    [`swap: { on: file, size: much }, ${KUBELET('NoSwap')}`, 'swap.size', undefined],
    [
      'apiServer: { featureGates: { InPlacePodVerticalScalin: true } }',
      'apiServer.featureGates.InPlacePodVerticalScalin',
      'InPlacePodVerticalScaling',
    ],
    ["scheduler: { flags: { feature-gates: 'A=true' } }", 'scheduler.flags.feature-gates', undefined],
    ['scheduler: {}', 'scheduler', undefined],
    ["units: { ../passwd: 'x' }", 'units.../passwd', undefined],
    ["units: { kubelet.service: 'x' }", 'units.kubelet.service', 'kubelet.service.d/20-knob.conf'],
    ["packages: ['uidmap;reboot']", 'packages.0', undefined],
    ["modules: ['zram; reboot']", 'modules.0', undefined],
  ])('is refused: %s', (settings, path, nearest) => {
    const problems = problemsWith(matrixWith(settings));
    expect(problems).toEqual([expect.objectContaining({ path: `knobs.mine.${path}` })]);
    if (nearest !== undefined) expect(problems[0]?.nearest).toBe(nearest);
  });

  it('is refused on a release or a containerd that does not take it', () => {
    const plugins = "containerd: { plugins: { 'io.containerd.cri.v1.runtime': { enable_cdi: false } } }";
    const { matrix } = configWith(matrixWith(plugins));
    const refusal = (...words: string[]) => findRefusal(matrix, parseVariant(matrix, words));
    expect(refusal('knobs=mine')?.rule).toBe('mine-needs-containerd-2');
    expect(refusal('knobs=mine', 'containerd=2.1.4')).toBeUndefined();
    expect(refusal('knobs=unlimited-swap')?.reason).toContain('only until 1.29');
    expect(refusal('knobs=unlimited-swap', 'kubernetes=1.29.14')).toBeUndefined();
  });

  it('may be bounded by a patch release, which a short name stands for', () => {
    const since = (release: string) =>
      findRefusal(
        configWith(matrixWith(`kubelet: { podPidsLimit: 64 }, since: '${release}', source: docs/matrix.md`))
          .matrix,
        parseVariant(configWith(matrixWith('modules: [zram]')).matrix, ['knobs=mine']),
      )?.rule;
    expect(since('1.34.2')).toBeUndefined();
    expect(since('1.34.3')).toBe('mine-needs-kubelet-1.34.3');
  });

  it('makes a world of its own, unless a running node can be given it', () => {
    const { matrix } = configWith(matrixWith('modules: [zram]'));
    const parentOf = (knobs: string) => findParent(parseVariant(matrix, [`knobs=${knobs}`]), matrix);
    expect(parentOf('mine')).toEqual({ why: 'knobs=mine: modules: set before the cluster is made' });
    expect(parentOf('qps-5').variant?.knobs).toBe('none');
  });
});
