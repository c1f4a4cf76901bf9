import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runCommand } from '../../../../lab/drivers/programs/command.ts';
import { exportLines, shellQuote } from '../../../../lab/model/text/shell.ts';
import { NO_RC } from '../../../bash.ts';

/** What a shell would do something with. */
const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  '${IFS}',
  '; exit 9',
  "'; exit 9 #",
  '"',
  '\\',
  '\\\\',
  '!!',
  '*',
  '~',
  '',
  ' ',
  '\n',
  '\t',
  '-rf',
  '--',
  '$',
  '&',
  '|',
  '>out',
  '<in',
  '#',
  '\u00a0',
  'é',
  '{a,b}',
];

/** A word of them; no program can be given a NUL. */
const words = fc.array(
  fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string()), { maxLength: 4 })
    .map((parts) => parts.join('').replaceAll('\0', '')),
  { minLength: 1, maxLength: 40 },
);

/** Each program is given many words: starting it takes longer than all else. */
const FEW = { numRuns: 5 };

it('hands each word to a program of the host as one argument, whatever is in it', async () => {
  await fc.assert(
    fc.asyncProperty(words, async (given) => {
      const all = [...HOSTILE, ...given];
      const { stdout } = await runCommand('/usr/bin/printf', ['%s\\0', ...all]);
      expect(stdout.split('\0').slice(0, -1)).toEqual(all);
    }),
    FEW,
  );
});

it('quotes each value for the shell of a guest, whatever is in it', () => {
  fc.assert(
    fc.property(words, (given) => {
      const all = [...HOSTILE, ...given];
      const variables = Object.fromEntries(all.map((value, index) => [`v${index}`, value]));
      const script = all.map((value, index) => `printf '%s\\0' ${shellQuote(value)} "$v${index}"\n`).join('');
      for (const [shell = '', ...flags] of [['sh'], ['bash', NO_RC]]) {
        const printed = execFileSync(shell, flags, {
          input: exportLines(variables) + script,
          encoding: 'utf8',
        });
        expect(printed.split('\0').slice(0, -1)).toEqual(all.flatMap((value) => [value, value]));
      }
    }),
    FEW,
  );
});
