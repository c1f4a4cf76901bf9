import type { Host } from '../../lab/model/host/host.ts';

/**
 * Lists the executable files of a name on PATH, first one first. `which` is part of every Debian (debianutils) and
 * answers for the environment that our programs get.
 */
export async function findOnPath(host: Host, name: string): Promise<string[]> {
  const { stdout } = await host.run('which', ['-a', name], { okStatus: [0, 1], signal: host.signal });
  return [...new Set(stdout.split('\n').filter((line) => line.startsWith('/')))];
}
