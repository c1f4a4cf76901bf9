import { ERROR_TABLE, type ErrorGroup } from '../../lab/model/errors/error-table.ts';
import { toExitCode } from '../../lab/model/errors/exit-status.ts';

/**
 * Renders every error for docs/errors.md, in the order of the table in the code: its code, what it means, what to do.
 */
export function renderErrors(): string {
  return Object.entries<ErrorGroup>(ERROR_TABLE)
    .map(([title, { exit, errors }]) => {
      const entries = Object.entries(errors).map(
        ([code, { means, fix }]) => `### \`${code}\`\n\n${means}\n\n**Do:** ${fix}`,
      );
      return [`## ${title} (exit ${toExitCode(exit)})`, ...entries].join('\n\n');
    })
    .join('\n\n');
}
