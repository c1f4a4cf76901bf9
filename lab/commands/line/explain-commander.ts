import type { CommanderError } from 'commander';
import { UsageError } from '../../model/errors/errors.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { shellWord } from '../../model/text/shell.ts';
import { spellFlag } from '../context/flags.ts';
import { flagsOfVerb } from './verb.ts';
import { VERBS } from './verbs.ts';

/** Turns an error of commander into a UsageError with the next command. */
export async function explainCommander(
  { code, message }: CommanderError,
  words: readonly string[],
): Promise<UsageError> {
  const [name = '', ...more] = words;
  // A flag that the verb does not have would be unknown after the verb too.
  const later = VERBS.find(
    (known) => more.includes(known.name) && flagsOfVerb(known).map(spellFlag).includes(name),
  );
  if (later !== undefined)
    return new UsageError(`flags are written after the command, and "${name}" is before it`, {
      tryNext: `npx whodunit ${later.name} ${more
        .filter((word) => word !== later.name)
        .concat(name)
        .map(shellWord)
        .join(' ')}`,
    });
  const verb = VERBS.find((known) => known.name === name);
  const tryNext = `npx whodunit help${verb === undefined ? '' : ` ${verb.name}`}`;
  if (code !== 'commander.unknownOption') return new UsageError(message.replace(/^error: /, ''), { tryNext });
  const flag = /'(.*)'/.exec(message)?.[1] ?? '';
  const known = ['--help', ...(verb === undefined ? [] : flagsOfVerb(verb).map(spellFlag))];
  const [own = '', value] = flag.split('=', 2);
  if (value !== undefined && known.includes(own))
    return new UsageError(`${own} takes no value, and got "${value}"`, { tryNext });
  // Loaded only here: it knows all axes.
  const { hintOfSelector } = await import('./selector-hint.ts');
  const hint = hintOfSelector(own, value) ?? formatHint(flag, known);
  return new UsageError(`${verb?.name ?? 'whodunit'} has no flag "${flag}"${hint}`, { tryNext });
}
