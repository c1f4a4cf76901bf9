import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { HostError, InterruptedError } from '../../../../lab/model/errors/errors.ts';
import type { CellRecord } from '../../../../lab/model/evidence/observation.ts';
import { judgeFolder } from '../../../../lab/world/cell/judge-folder.ts';
import { judgeAside } from '../../../../lab/world/run/judge-aside.ts';
import { unpackFacts } from '../../../../lab/world/run/kept-facts.ts';

const CAPTURE = join(import.meta.dirname, '../../../fixtures/evidence/oom-single-container');
const record = JSON.parse(readFileSync(join(CAPTURE, 'cell.json'), 'utf8')) as CellRecord;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-aside-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of the evidence, with records of pods that take many seconds to read. */
function makeHeavy(): string {
  const heavy = join(folder, 'heavy');
  cpSync(CAPTURE, heavy, { recursive: true });
  const pods = join(heavy, 'pods.jsonl');
  const once = readFileSync(pods, 'utf8');
  const many = once.repeat(Math.ceil(1_000_000 / once.length));
  for (let megabytes = 0; megabytes < 150; megabytes += 1) appendFileSync(pods, many);
  return heavy;
}

describe('a cell that is judged in a thread', () => {
  it('gets the judgement of its folder, and what a report shows of it', async () => {
    const { signal } = new AbortController();
    const answer = await judgeAside({ clock: systemClock, signal }, { folder: CAPTURE, record });
    expect(answer?.now).toEqual(judgeFolder(CAPTURE, record).now);
    expect(unpackFacts(answer?.facts ?? new Uint8Array()).story?.events.length).toBeGreaterThan(0);
  });

  it('is left when an interrupt comes, however much there is to read', async () => {
    const abort = new AbortController();
    const asked = judgeAside({ clock: systemClock, signal: abort.signal }, { folder: makeHeavy(), record });
    // The turn in which a signal is heard.
    setImmediate(() => abort.abort(new InterruptedError()));
    expect(await asked).toBeUndefined();
  });

  it('is judged to the end where the interrupt came before, and there is little to read', async () => {
    const clock = { ...systemClock, sleep: () => new Promise<void>(() => undefined) };
    const answer = await judgeAside({ clock, signal: AbortSignal.abort() }, { folder: CAPTURE, record });
    expect(answer?.now.attribution.killer).toBe('memcg-oom');
  });

  it('is refused by the error of its folder', async () => {
    const broken = join(folder, 'file');
    writeFileSync(broken, '');
    const { signal } = new AbortController();
    const asked = judgeAside({ clock: systemClock, signal }, { folder: broken, record });
    await expect(asked).rejects.toMatchObject({ code: codeOf(() => judgeFolder(broken, record)) });
  });
});

function codeOf(judge: () => unknown): string {
  try {
    judge();
  } catch (error) {
    if (error instanceof HostError) return error.code;
    throw error;
  }
  throw new Error('it was judged');
}
