import { UsageError } from '../../model/errors/errors.ts';
import { listEmptyVariables, type Environment } from '../../model/host/environment.ts';

/**
 * Refuses environment variables that are empty, or whose value is not the path of a folder where one is needed.
 *
 * @throws UsageError
 */
export function refuseEnvironment(env: Environment): void {
  refuseEmptyVariables(env);
  refuseWrongFolders(env);
}

function refuseEmptyVariables(env: Environment): void {
  const empty = listEmptyVariables(env);
  if (empty.length === 0) return;
  throw new UsageError(`${empty.join(', ')} ${empty.length === 1 ? 'is' : 'are'} set, but empty`, {
    tryNext: `unset ${empty.join(' ')}, or give a value: npx whodunit explain ${empty[0] ?? ''}`,
  });
}

/** Refuses ~ at the beginning, which a shell does not expand inside quotes, and a URL. */
function refuseWrongFolders(env: Environment): void {
  for (const name of ['WHODUNIT_HOME', 'WHODUNIT_CACHE', 'WHODUNIT_PROJECT'] as const) {
    const value = env[name] ?? '';
    if (!/^~|^\w+:\/\//.test(value)) continue;
    throw new UsageError(`${name} is ${value}, which is not the path of a folder`, {
      tryNext: `write the whole path, or $HOME without quotes around it: npx whodunit explain ${name}`,
    });
  }
}
