import { ENVIRONMENT_TABLE, type VariableRow } from '../../lab/model/host/environment.ts';
import { inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';

/** What an empty value means. */
const EMPTY: Readonly<Record<VariableRow['empty'], string>> = { error: 'an error', unset: 'not set' };

/** Renders every environment variable that our code reads, for docs/environment.md. */
export function renderEnvironment(): string {
  return Object.entries<Readonly<Record<string, VariableRow>>>(ENVIRONMENT_TABLE)
    .map(([title, variables]) =>
      [
        `## ${title}`,
        '',
        ...markdownHead(['variable', 'does', 'when it is not set', 'when it is empty']),
        ...Object.entries(variables).map(([name, { does, otherwise, empty }]) =>
          markdownRow([inlineCode(name), does, otherwise, EMPTY[empty]]),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}
