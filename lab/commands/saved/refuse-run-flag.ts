import { UsageError } from '../../model/errors/errors.ts';
import type { Flags } from '../context/flags.ts';

/**
 * Refuses `--run` together with a word that is a run: the flag says in which run an address is looked for.
 *
 * @throws UsageError
 */
export function refuseRunFlag(word: string, { run }: Pick<Flags, 'run'>): void {
  if (run === undefined) return;
  throw new UsageError(`--run is not used here: "${word}" is a run itself`, {
    tryNext: 'leave it out, or name an address from `npx whodunit report`',
  });
}
