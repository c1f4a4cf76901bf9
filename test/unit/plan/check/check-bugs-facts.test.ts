import { describe, expect, it } from 'vitest';
import { planCells, type PlanOptions } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith, problemsAfter, problemsWith, shippedText } from '../../project-files.ts';

const FILE = 'bugs/driver-mismatch-kill-loop.yaml';
const config = configWith();

/** The problems of the configuration with one text of the bug replaced. */
const problemsOf = (from: string, to: string) => problemsAfter(FILE, from, to);

describe('the affected versions of a bug', () => {
  it.each([
    ['component: kubernetes', 'component: kubernets', 'ranges.0.component', 'kubernetes'],
    ["versions: ['>=1.22']", "versions: ['1.22+']", 'ranges.0.versions.0', undefined],
    ["versions: ['>=1.22']", "versions: ['>=1.x']", 'ranges.0.versions.0', undefined],
    ["versions: ['>=1.22']", "versions: ['>=1.22', '>=1.30 <1.30']", 'ranges.0.versions.1', undefined],
    ["versions: ['>=1.22']", "versions: ['>=1.22 <=1.9']", 'ranges.0.versions.0', undefined],
    // The affected variant has the default, 1.34.
    ["versions: ['>=1.22']", "versions: ['>=1.22 <1.34']", 'ranges.0.versions', undefined],
    ['component: kubernetes', 'component: containerd', 'ranges.0.versions', undefined],
  ])('are refused: %s as %s', (from, to, path, nearest) => {
    const problems = problemsOf(from, to);
    expect(problems).toEqual([expect.objectContaining({ file: FILE, path })]);
    expect(problems[0]?.nearest).toBe(nearest);
  });

  it('are those of kernel, systemd, programs and images alike', () => {
    const ranged = config.bugs.map(({ ranges }) => ranges.map(({ component }) => component)).flat();
    expect(ranged).toEqual(expect.arrayContaining(['kernel', 'systemd', 'gvisor', 'supercronic']));
    expect(
      problemsAfter('bugs/supercronic-zombies.yaml', "versions: ['<0.2.31']", "versions: ['<0.2.30']"),
    ).toEqual([expect.objectContaining({ path: 'ranges.0.versions' })]);
  });
});

const CRON = 'bugs/supercronic-zombies.yaml';

/** Problems of a bug of supercronic 0.2.30, fixed in 0.2.33, with these first versions. */
const problemsOfFirst = (lines: string, file = CRON): readonly unknown[] =>
  problemsWith({ [file]: `${shippedText(file)}${lines}\n` }).map(({ path, expected }) => [path, expected]);

describe('the first versions with a bug and without it', () => {
  it.each([
    ["firstBad: ['0.2.29']"],
    ["firstBad: ['0.2.30']\nfirstGood: ['0.2.32']"],
    ["firstGood: ['0.2.33']"],
  ])('are accepted: %s', (lines) => expect(problemsOfFirst(lines)).toEqual([]));

  it.each([
    ['firstBad: []', 'firstBad', /not empty/],
    ["firstBad: ['0.3.1']", 'firstBad.0', /a value of supercronic/],
    ["firstGood: ['0.2.32', '0.2.33']", 'firstGood.1', /one version of each release line/],
    ["firstBad: ['0.2.31']", 'firstBad', /nothing newer than supercronic=0.2.30/],
    ["firstGood: ['0.2.30']", 'firstGood', /something newer than supercronic=0.2.30/],
    ["firstGood: ['0.2.45']", 'firstGood', /nothing newer than supercronic=0.2.33/],
  ])('are refused: %s', (lines, path, expected) =>
    expect(problemsOfFirst(lines)).toEqual([[path, expect.stringMatching(expected)]]),
  );

  it('are of the one axis in which the sides differ, and of its program', () => {
    const ofTwo = problemsAfter(
      CRON,
      "fixed: { supercronic: '0.2.33' }",
      "firstGood: ['0.2.33']\nfixed: { supercronic: '0.2.33', pids: '200' }",
    );
    expect(ofTwo).toContainEqual(
      expect.objectContaining({ path: 'firstGood', received: 'sides that differ in supercronic and pids' }),
    );
    expect(problemsOfFirst("firstBad: ['1.36']", FILE)).toEqual([['firstBad.0', expect.any(String)]]);
  });
});

describe('first versions of a bug whose fixed side is the same release with a setting', () => {
  const GVISOR = 'bugs/gvisor-limit-not-enforced.yaml';
  const withFirst = (line: string): readonly unknown[] =>
    problemsWith({
      [GVISOR]: `${shippedText(GVISOR).replace(/^firstGood:.*\n/m, '')}${line}\n`,
    }).map(({ path, expected }) => [path, expected]);

  it.each([
    // The setting is not a release: it says nothing about where the releases without it change.
    ["firstGood: ['runsc@20260905']"],
    ["firstBad: ['runsc@20221203']"],
    ["firstGood: ['runsc@20230927+systemd-cgroup']"],
  ])('are accepted: %s', (line) => expect(withFirst(line)).toEqual([]));

  it.each([
    ["firstGood: ['runsc@20221203']", 'firstGood', /something newer than runtime=runsc@20230927,/],
    ["firstBad: ['runsc@20240916']", 'firstBad', /nothing newer than runtime=runsc@20230927,/],
    [
      "firstGood: ['runsc@20240916+systemd-cgroup']",
      'firstGood',
      /nothing newer than runtime=runsc@20230927\+systemd-cgroup/,
    ],
  ])('are bounded only by the side of their own setting: %s', (line, path, expected) =>
    expect(withFirst(line)).toEqual([[path, expect.stringMatching(expected)]]),
  );
});

describe('the other facts of a bug', () => {
  it.each([
    ["reviewBy: '2027-06-30'", "reviewBy: '2027-06-31'", 'reviewBy'],
    ["reviewBy: '2027-06-30'", 'reviewBy: soon', 'reviewBy'],
    ['expectSeconds: 300', 'expectSeconds: 0', 'expectSeconds'],
    ['expectSeconds: 300', 'expectSeconds: 300\nrepeats: 0.5', 'repeats'],
    ['expectSeconds: 300', 'expectSeconds: 300\nrepeats: 101', 'repeats'],
    ['  text: Give', '  txt: Give', 'workaround.txt'],
  ])('are refused: %s as %s', (from, to, path) => {
    expect(problemsOf(from, to)).toContainEqual(expect.objectContaining({ file: FILE, path }));
  });

  it('are all named in one message', () => {
    const text = shippedText(FILE)
      .replace("versions: ['>=1.22']", "versions: ['new']")
      .replace('drivers: systemd+cgroupfs', 'drivers: systemd+cgroupf');
    expect(problemsWith({ [FILE]: text }).map(({ path }) => path)).toEqual([
      'affected.drivers',
      'ranges.0.versions.0',
    ]);
  });

  it('say what a cell costs where no earlier run is known', () => {
    const cellOf = (options: PlanOptions): number | undefined =>
      planCells(config, ['default/minute-survivor'], options).cells[0]?.estimateSeconds;
    expect(cellOf({})).toBe(300);
    expect(cellOf({ timings: [{ kind: 'cell', name: 'minute-survivor', seconds: 250 }] })).toBe(250);
    const changed = configWith({ [FILE]: shippedText(FILE).replace('expectSeconds: 300\n', '') });
    expect(planCells(changed, ['default/minute-survivor']).cells[0]?.estimateSeconds).toBe(320);
  });
});
