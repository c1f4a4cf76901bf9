import { describe, expect, it } from 'vitest';
import { proposeCommits, proposeEnds } from '../../../../lab/commands/searching/propose-ends.ts';
import { getCell } from '../../../../lab/commands/searching/searched-cell.ts';
import { configWith, shippedText } from '../../project-files.ts';

const FILE = 'bugs/gvisor-limit-not-enforced.yaml';
const BAD = 'runsc@20230927';
const SIDES = { axis: 'runtime', good: `${BAD}+systemd-cgroup`, bad: BAD };
const DIFFERENCE = `npx whodunit difference ${BAD}/sandbox-limit ${SIDES.good}/sandbox-limit`;

/** What is proposed for the bug after a piece of its file was replaced. */
function proposeAfter(piece: RegExp, other: string): string {
  const config = configWith({ [FILE]: shippedText(FILE).replace(piece, other) });
  const bug = config.bugs.find(({ id }) => id === 'gvisor-limit-not-enforced');
  return proposeEnds(config, { ...SIDES, cell: getCell(config, `${BAD}/sandbox-limit`), bug });
}

describe('proposed ends', () => {
  it.each([
    [
      'the first good version, on the variant of the table that can have it',
      /$^/,
      '',
      `npx whodunit bisect containerd-1.7.27_${BAD}/sandbox-limit --axis runtime --good runsc@20260905`,
    ],
    [
      'the first good version, on the variant of the bug where that can have it',
      /runsc@20260905'\]/,
      "runsc@20260224']",
      `npx whodunit bisect ${BAD}/sandbox-limit --axis runtime --good runsc@20260224`,
    ],
    [
      'any version, where no first good one is known',
      /^firstGood: .*$/m,
      '',
      `--good: a version of runtime beside ${BAD} that does not have the bug`,
    ],
    [
      'any version, where no variant can have the first good one',
      /^table:\n.*$/m,
      '',
      `--good: a version of runtime beside ${BAD} that does not have the bug`,
    ],
  ])('are %s', (_, piece, other, proposed) =>
    expect(proposeAfter(piece, other)).toBe(`${proposed}; or ${DIFFERENCE}`),
  );

  it.each([
    ['runc@git:../runc#v1.1.12', 'runc@1.1.15', `'<bad commit>' v1.1.12`],
    ['runc@1.1.12', 'runc@git:../runc', `'<bad commit>' '<good commit>'`],
    ['runc@git:../runc#a', 'runc@git:../runc#b', 'b a'],
  ])('are commits where one is a build of a checkout: %s and %s', (good, bad, commits) => {
    const config = configWith();
    const cell = getCell(config, 'default/tiny-limit-start');
    expect(proposeCommits(config, { cell, axis: 'runtime', good, bad })).toBe(
      `git -C ../runc bisect start ${commits}; git -C ../runc bisect run env --chdir="$PWD" npx whodunit run --exit-for git-bisect runc@git:..%2Frunc/tiny-limit-start`,
    );
  });

  it('are no commits of a folder with built programs', () => {
    const config = configWith();
    const cell = getCell(config, 'default/tiny-limit-start');
    const ends = { axis: 'runtime', good: 'runc@file:../runc', bad: 'runc@1.1.15' };
    expect(proposeCommits(config, { ...ends, cell })).toBeUndefined();
  });
});
