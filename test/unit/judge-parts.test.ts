import { describe, expect, it } from 'vitest';
import { explainCell } from '../../lab/judge/explain.ts';
import { levelOf } from '../../lab/judge/levels.ts';
import { matchesSelector } from '../../lab/judge/selector.ts';
import { judgeCapture, loadCapture } from '../fixtures/evidence/load-capture.ts';

const ID = '5f3c9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1a02';
const UID = '6f1d2c3b_4a59_4687_9a0b_1c2d3e4f5a6b';

describe('the level of a cgroup', () => {
  it.each([
    [
      `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID}.slice/cri-containerd-${ID}.scope`,
      'container',
    ],
    [`/system.slice/kubepods-burstable-pod${UID}.slice:cri-containerd:${ID}`, 'container'],
    [`/kubepods/burstable/pod${UID.replaceAll('_', '-')}/${ID}`, 'container'],
    [`/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID}.slice`, 'pod'],
    [`/kubepods/pod${UID.replaceAll('_', '-')}`, 'pod'],
    ['/kubepods.slice/kubepods-pod0123456789abcdef0123456789abcdef.slice', 'pod'],
    ['/kubepods.slice/kubepods-besteffort.slice', 'qos'],
    ['/kubepods/burstable', 'qos'],
    ['/kubepods.slice', 'qos'],
    ['/', 'node'],
    ['/system.slice/ssh.service', undefined],
  ])('%s is %s', (path, level) => expect(levelOf(path)).toBe(level));
});

describe('a selector', () => {
  it.each([
    ['app=eater', true],
    ['app==eater,tier=x', true],
    ['app=eater,tier=y', false],
    ['app!=eater', false],
    ['other!=eater', true],
    ['app', true],
    ['!app', false],
    ['!other', true],
    ['app in (eater)', false],
  ])('%s matches: %s', (selector, matches) => {
    expect(matchesSelector(selector, { app: 'eater', tier: 'x' })).toBe(matches);
  });
});

describe('the explanation of a cell', () => {
  const capture = loadCapture('oom-single-container');
  const { address, variant, scenario, expected } = capture.record;
  const timings = { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 3 };
  const result = {
    address,
    variant,
    scenario,
    expected,
    timings,
    evidence: `cells/${address}`,
    ...judgeCapture(capture),
  };

  it('names killer, level, proof with file and line, and who said what', () => {
    const text = explainCell(result);
    expect(text).toContain('killer    memcg-oom (group-kill) at pod level, proven');
    expect(text).toMatch(/victim {4}eater\/eater pid \d+ \(memory-eater\)/);
    expect(text).toMatch(/node-1\/kmsg\.log:\d+ .*Killed process \d+/);
    expect(text).toMatch(/oom-kill:constraint=CONSTRAINT_MEMCG, …, oom_memcg=…\/pod\w+….slice/);
    expect(text).toMatch(/right {2}api +OOMKilled, exit 137/);
    expect(text).toContain('evidence  cells/default/oom-single-container');
    const line = result.attribution.because[0]?.line;
    expect(text).toContain(`open      less +${line} cells/default/oom-single-container/node-1/kmsg.log`);
  });

  it('says what to do, and never cuts off which process it was', () => {
    const summary = result.attribution.because.find((ref) => ref.text.startsWith('oom-kill:'));
    const long = { ...summary!, text: summary!.text.replace('task=', `${'x'.repeat(200)},task=`) };
    const text = explainCell({ ...result, attribution: { ...result.attribution, because: [long] } });
    expect(text).toMatch(/oom-kill:.*…,task=memory-eater,pid=\d+,uid=0$/m);
    expect(text).toMatch(/^do {8}raise limits\.memory/m);
  });

  it('says what was expected in words, and that it holds', () => {
    const text = explainCell({
      ...result,
      verdict: 'passed',
      expected: { killer: 'external-signal', exitCode: [137], withinSeconds: 30, then: 'stays-dead' },
    });
    expect(text).toContain(
      'expected  killer external-signal, exit code 137, within 30 s, stays dead: all of it holds',
    );
  });

  it('marks the layer that was wrong and prints expected beside observed', () => {
    const text = explainCell({
      ...result,
      verdict: 'failed',
      claims: [{ layer: 'api', says: 'Error, exit 137', agrees: false }],
      mismatches: [{ field: 'killer', expected: 'alive', observed: 'dead' }],
    });
    expect(text).toMatch(/WRONG {2}api/);
    expect(text).toMatch(/expected {2}alive\nobserved {2}dead/);
  });

  it('fits a terminal: no line is much wider than its texts', () => {
    for (const line of explainCell(result).split('\n')) expect(line.length).toBeLessThan(230);
  });
});
