import { UsageError } from '../../model/errors/errors.ts';
import { countOwnWords } from './wants-json.ts';

const FLAG = '--project';

/** A command line, taken apart. */
export interface ProjectLine {
  /** The value of `--project`. */
  readonly project: string | undefined;
  /** The words without `--project` and its value. */
  readonly rest: readonly string[];
}

/**
 * Removes `--project <folder>` from a command line, because everything else depends on the project. The flag may be anywhere
 * before the words for another program.
 *
 * @throws UsageError when it has no value, or is given twice.
 */
export function takeProject(words: readonly string[]): ProjectLine {
  const end = countOwnWords(words);
  const rest: string[] = [];
  const found: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (index >= end || (word !== FLAG && !word.startsWith(`${FLAG}=`))) rest.push(word);
    else if (word === FLAG) {
      index += 1;
      found.push(words[index] ?? '');
    } else found.push(word.slice(FLAG.length + 1));
  }
  if (found.some((folder) => folder.trim() === '' || folder.startsWith('--')))
    throw new UsageError(`${FLAG} needs the folder of a project`, {
      tryNext: 'name the folder of a whodunit.yaml, or make one: npx whodunit init',
    });
  if (found.length > 1)
    throw new UsageError(`${FLAG} was given ${found.length} times: ${found.join(', ')}`, {
      tryNext: 'name one project',
    });
  return { project: found[0], rest };
}
