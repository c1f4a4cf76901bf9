import type { StatusResult } from '../../model/saved/answers.ts';
import { formatBytes } from '../../model/text/format-bytes.ts';
import { plural } from '../../model/text/plural.ts';
import { joinLines, textTable } from '../text/text-table.ts';

const SAYS: Readonly<Record<StatusResult['worlds'][number]['state'], string>> = {
  up: 'up',
  saved: 'saved, powered off',
  lane: 'a lane of a run',
  unfinished: 'unfinished',
  unreadable: 'cannot be read by this version',
};

/**
 * Renders `whodunit status`: the worlds, the lab that is running, the disk space that all of it takes, the next
 * command.
 */
export function renderStatus({ folder, lock, worlds, runs, cache }: StatusResult): string {
  const rows = worlds.map((world) => [
    world.name,
    SAYS[world.state],
    plural(world.nodes, 'node'),
    world.residentMiB === 0 ? '-' : formatBytes(world.residentMiB * 1024 * 1024),
    formatBytes(world.diskBytes),
  ]);
  const ofRuns = `${plural(runs.count, 'run')} ${formatBytes(runs.diskBytes)}`;
  const ofCache = `cache ${formatBytes(cache.diskBytes)}`;
  return joinLines([
    ...(rows.length === 0
      ? ['no worlds']
      : textTable([['world', 'state', 'machines', 'memory', 'disk'], ...rows])),
    '',
    lock === null ? 'no lab is running' : `running since ${lock.at}: ${lock.command} (process ${lock.pid})`,
    ...(isBelow(cache.folder, folder)
      ? [`${ofRuns}, ${ofCache}, in ${folder}`]
      : [`${ofRuns}, in ${folder}`, `${ofCache}, in ${cache.folder}`]),
    ...(lock === null ? [`next: npx whodunit ${nextVerb(worlds)}`] : []),
  ]);
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

function nextVerb(worlds: StatusResult['worlds']): string {
  const broken = worlds.find(({ state }) => state === 'unfinished' || state === 'unreadable');
  if (broken !== undefined) return `down ${broken.name}`;
  return worlds.some(({ state }) => state === 'up') ? 'run' : 'up';
}
