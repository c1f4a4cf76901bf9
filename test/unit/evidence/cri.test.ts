import { describe, expect, it } from 'vitest';
import { trimFiles } from '../../../bin/trim-files.ts';
import { parseCri } from '../../../lab/evidence/cri.ts';
import { findVictim, judgeCapture, loadCapture, type Capture } from '../../fixtures/evidence/load-capture.ts';

const PATH = 'node-1/cri.jsonl';
const ENDED_AT = '2026-11-21T21:32:03.5Z';

const status = (id: string, fields: object): string =>
  `${JSON.stringify({ id, labels: { app: 'x' }, mounts: [{ hostPath: '/secret' }], ...fields })}\n\n`;
const exited = (id: string, reason: string, exitCode: number): string =>
  status(id, { state: 'CONTAINER_EXITED', reason, exitCode, finishedAt: ENDED_AT });

describe("the runtime's records of its containers", () => {
  it('tell how each ended, and of those that run only that they do', () => {
    const running = status('b', {
      state: 'CONTAINER_RUNNING',
      reason: '',
      exitCode: 0,
      finishedAt: '0001-01-01',
    });
    expect(parseCri(exited('a', 'OOMKilled', 137) + running, 'f')).toMatchObject([
      {
        kind: 'runtime-record',
        containerId: 'a',
        reason: 'OOMKilled',
        exitCode: 137,
        at: Date.parse(ENDED_AT),
        ref: { line: 1, text: 'CONTAINER_EXITED, OOMKilled, exit 137' },
      },
      { containerId: 'b', state: 'CONTAINER_RUNNING', exitCode: undefined, at: undefined },
    ]);
  });

  it('that are broken are lost, unless the file was cut there', () => {
    expect(parseCri('{"id":"a","sta', 'f')).toEqual([]);
    expect(parseCri('level=fatal\n', 'f')).toMatchObject([{ kind: 'lost', source: 'cri' }]);
  });

  it("are the runtime's claim about the victim, and change nothing about the killer", () => {
    const capture = loadCapture('oom-single-container');
    const { containerId } = findVictim(capture);
    const before = judgeCapture(capture);
    for (const [reason, says] of [
      ['OOMKilled', 'its record says OOMKilled, exit 137'],
      ['', 'its record says no reason, exit 137'],
    ] as const) {
      const judged = judgeCapture(withRecords(capture, exited(containerId, reason, 137)));
      expect(judged.claims.find(({ layer }) => layer === 'runtime')?.says).toContain(says);
      expect(judged.attribution).toEqual(before.attribution);
      expect(judged.verdict).toBe('passed');
    }
    const strangers = judgeCapture(withRecords(capture, exited('0'.repeat(64), 'Error', 1)));
    expect(strangers.claims).toEqual(before.claims);
  });

  it('agree about an OOM kill only when they give that reason', () => {
    const capture = loadCapture('sigkill-from-node');
    const { containerId } = findVictim(capture);
    const claimOf = (reason: string): unknown =>
      judgeCapture(withRecords(capture, exited(containerId, reason, 137))).claims.find(
        ({ layer }) => layer === 'runtime',
      )?.agrees;
    expect([claimOf('OOMKilled'), claimOf('Error')]).toEqual([false, null]);
    const killed = loadCapture('cron-job-oom--oom-event-lost');
    const claim = judgeCapture(killed).claims.find(({ layer }) => layer === 'runtime');
    expect(claim?.says).toMatch(/its record says Error/);
    expect(claim?.agrees).toBe(false);
  });

  it('lose mounts and labels in a fixture', () => {
    const capture = loadCapture('oom-single-container');
    const text = exited(findVictim(capture).containerId, 'OOMKilled', 137);
    const kept = trimFiles(withRecords(capture, text).files, capture.record).get(PATH);
    expect(kept).toMatch(/OOMKilled/);
    expect(kept).not.toMatch(/secret|labels/);
  });
});

function withRecords(capture: Capture, text: string): Capture {
  return { ...capture, files: new Map(capture.files).set(PATH, text) };
}
