import type { KillersResult, ScenariosResult } from '../../model/saved/answers.ts';
import { describeParameters } from '../../model/declared/parameters.ts';
import { textTable, wrapText } from '../text/text-table.ts';

/** Columns of running text. */
const WIDTH = 100;

/** Renders `whodunit scenarios`: name, killer and title of each. */
export function renderScenarios({ scenarios }: ScenariosResult): string {
  const blocks = scenarios.map(({ name, title, tags, killer, parameters = {} }) => {
    const varied = describeParameters(parameters);
    const facts = [`killer ${killer}`, ...(tags.length === 0 ? [] : [`tags ${tags.join(', ')}`])];
    return [
      name,
      ...wrapText(title, WIDTH).map((line) => `  ${line}`),
      `  ${[...facts, ...(varied === '' ? [] : [`with ${varied}`])].join('; ')}`,
    ].join('\n');
  });
  const [first] = scenarios;
  const next = first === undefined ? 'npx whodunit list' : `npx whodunit list ${first.name}`;
  return [...blocks, `next: ${next}`].join('\n\n');
}

/** Renders `whodunit killers`: each with who acts and its ways. */
export function renderKillerList({ killers }: KillersResult): string {
  const rows = killers.map(({ name, family, hows }) => [name, family, hows.join(', ')]);
  return [
    ...textTable([['killer', 'who acts', 'ways'], ...rows]),
    '',
    `next: npx whodunit explain ${killers[0]?.name ?? 'killer'}`,
  ].join('\n');
}
