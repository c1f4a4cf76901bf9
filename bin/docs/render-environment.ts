import { ENVIRONMENT_TABLE, type VariableRow } from '../../lab/model/host/environment.ts';
import { inlineCode, markdownRow } from '../../lab/report/text/markdown.ts';

/** Renders every environment variable that our code reads, for docs/environment.md. */
export function renderEnvironment(): string {
  return Object.entries<Readonly<Record<string, VariableRow>>>(ENVIRONMENT_TABLE)
    .map(([title, variables]) =>
      [
        `## ${title}`,
        '',
        markdownRow(['variable', 'does', 'when it is not set']),
        markdownRow(['---', '---', '---']),
        ...Object.entries(variables).map(([name, { does, otherwise }]) =>
          markdownRow([inlineCode(name), does, otherwise]),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}
