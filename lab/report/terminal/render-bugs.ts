import type { BugsResult } from '../../model/saved/repro.ts';

/** Renders `whodunit bugs`: each bug with what it compares and where it was reported, and the next command. */
export function renderBugs({ bugs }: BugsResult): string {
  const lines = bugs.flatMap((bug) => [
    `${bug.id}  (${bug.status})`,
    `  ${bug.title}`,
    `  ${bug.affected} against ${bug.fixed}${bug.controls.length === 0 ? '' : `, control ${bug.controls.join(', ')}`}: scenario ${bug.scenario}`,
    ...bug.links.map((link) => `  ${link}`),
    '',
  ]);
  const [first] = bugs;
  return [...lines, first === undefined ? 'no bugs yet' : `next: npx whodunit repro ${first.id}`].join('\n');
}
