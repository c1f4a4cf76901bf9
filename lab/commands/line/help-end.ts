import { Help } from 'commander';
import { EXIT_CODES, type ExitReason } from '../../model/errors/exit-status.ts';
import type { Verb } from './verb.ts';

/** A longer line is hard to read, however wide the terminal is. */
const WIDEST = 100;

/**
 * Formats the end of a verb's help, after its flags: details, exit codes and examples.
 *
 * @param columns the width of the terminal.
 */
export function formatHelpEnd({ details, exits, examples }: Verb, columns: number): string {
  const parts = [
    ...(details === undefined ? [] : [wrapDetails(details, Math.min(columns, WIDEST))]),
    ...(exits === undefined ? [] : [formatExits(exits)]),
    ['Examples:', ...examples.map((line) => `  ${line}`)].join('\n'),
  ];
  return parts.map((part) => `\n${part}`).join('\n');
}

/** Wraps each paragraph to the width. Indented lines are tables, and stay as they are. */
function wrapDetails(details: string, width: number): string {
  const help = new Help();
  return details
    .replace(/^(\S.*)\n(?=\S)/gm, '$1 ')
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : help.boxWrap(line, width)))
    .join('\n');
}

function formatExits(exits: NonNullable<Verb['exits']>): string {
  const meanings = Object.entries(exits).map(
    ([reason, means]) => `  ${String(EXIT_CODES[reason as ExitReason]).padEnd(4)} ${means}`,
  );
  return ['Exit codes:', ...meanings].join('\n');
}
