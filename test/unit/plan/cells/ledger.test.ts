import { describe, expect, it } from 'vitest';
import { createLedger } from '../../../../lab/plan/cells/ledger.ts';
import { addressesOfBug } from '../../../../lab/plan/bugs/bug-cells.ts';
import { planCells, type PlanOptions } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith, problemsWith, shippedText } from '../../project-files.ts';

const config = configWith();
const ledger = createLedger(config);

describe('the ledger of known bugs', () => {
  it('has the affected cell of every bug, and neither the fixed one nor a control', () => {
    for (const bug of config.bugs) {
      const [affected = '', ...others] = addressesOfBug(bug, config.scenarios);
      expect(ledger(affected)?.id).toBe(bug.id);
      expect(others.map((address) => ledger(address))).toEqual(others.map(() => undefined));
    }
  });

  it('says how such a cell would end without its bug, and when somebody has to look again', () => {
    expect(ledger('systemd+cgroupfs/minute-survivor')).toEqual({
      id: 'driver-mismatch-kill-loop',
      reviewBy: '2027-06-30',
      fixed: { killer: 'none', survivesSeconds: 300 },
    });
    expect(ledger('default/supercronic-zombies')?.fixed.measures?.map(({ atMost }) => atMost)).toEqual([
      3, 3, 40, 0,
    ]);
  });

  it('goes with the cells of a run, but not with those of a question about a bug', () => {
    const bugsOf = (options: PlanOptions): unknown[] =>
      planCells(config, ['drivers=*', 'minute-survivor'], options).cells.flatMap(({ address, bug }) =>
        bug === undefined ? [] : [[address, bug.id]],
      );
    expect(bugsOf({})).toEqual([['systemd+cgroupfs/minute-survivor', 'driver-mismatch-kill-loop']]);
    expect(bugsOf({ asked: new Map() })).toEqual([]);
  });

  it('is refused when a cell would be that of two bugs', () => {
    const text = shippedText('bugs/driver-mismatch-kill-loop.yaml')
      .replace('id: driver-mismatch-kill-loop', 'id: twin')
      .replaceAll('https://github.com/kubernetes/', 'https://github.com/twin/')
      .replaceAll('https://github.com/containerd/', 'https://github.com/twin/')
      .replaceAll('https://github.com/systemd/', 'https://github.com/twin/');
    expect(problemsWith({ 'bugs/twin.yaml': text })).toEqual([
      expect.objectContaining({
        file: 'bugs/twin.yaml',
        path: 'affected',
        expected: 'a cell of one bug only',
      }),
    ]);
  });
});
