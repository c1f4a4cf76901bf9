import { appendLine } from '../../drivers/files/files.ts';
import type { GithubReport } from '../../report/markdown/render-github.ts';
import type { Context } from '../context/context.ts';

/**
 * Reports to GitHub Actions, if that runs this process: annotations on standard error, and the summary of the
 * step. A summary that cannot be written is only noted. Elsewhere nothing is rendered.
 */
export function reportToGithub(
  { github, progress }: Pick<Context, 'github' | 'progress'>,
  render: () => GithubReport,
): void {
  if (github === undefined) return;
  const { annotations, summary } = render();
  for (const annotation of annotations) github.printCommand(annotation);
  if (github.summaryFile === undefined) return;
  try {
    appendLine(github.summaryFile, summary);
  } catch (error) {
    progress.note(`the step summary was not written: ${(error as Error).message}`);
  }
}
