import { afterEach, describe, expect, it, vi } from 'vitest';
import { createContext } from '../../../../lab/commands/context/context.ts';
import { runPrinting } from '../../../../lab/drivers/programs/interactive.ts';
import { CommandError } from '../../../../lab/model/errors/errors.ts';
import { CI_ATTACKS, commandsIn } from '../../model/text/ci-runners.ts';

const holdNothing = () => () => Promise.resolve();

async function run(script: string): Promise<{ status: number; lines: string[] }> {
  const lines: string[] = [];
  const door = { hold: holdNothing, print: (line: string) => void lines.push(line) };
  const status = await runPrinting(door, 'sh', ['-c', script]);
  return { status, lines };
}

describe('a program whose lines are printed', () => {
  it('ends with its status, when all of it is printed', async () => {
    expect(await run('echo one; echo; printf two; exit 3')).toEqual({ status: 3, lines: ['one', '', 'two'] });
    expect(await run('kill -TERM $$')).toEqual({ status: 143, lines: [] });
  });

  it('has what it says on standard error printed too', async () => {
    expect(await run('echo lost >&2')).toEqual({ status: 0, lines: ['lost'] });
  });

  it('may print a line without an end: it is printed in pieces', async () => {
    const { lines } = await run('head -c 1000000 /dev/zero | tr "\\0" x');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.join('')).toBe('x'.repeat(1_000_000));
  });

  it('is an error where it is not there', async () => {
    await expect(
      runPrinting({ hold: holdNothing, print: () => undefined }, '/no/such/program', []),
    ).rejects.toThrow(CommandError);
  });
});

describe('the log of a node', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('is printed without commands and control characters', async () => {
    let out = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => (out += String(text)) !== '');
    const context = createContext(new AbortController().signal, {});
    const log = Object.values(CI_ATTACKS).join('\n');
    await runPrinting(context, 'printf', ['%s', log]);
    expect(commandsIn(out)).toEqual([]);
    // eslint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    expect(out).toContain('##\\[add-mask]x');
  });
});
