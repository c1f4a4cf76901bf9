import { appendLine } from '../../drivers/files/files.ts';
import type { RunResult } from '../../model/saved/formats.ts';
import { renderAnnotations, renderStepSummary } from '../../report/markdown/render-github.ts';
import type { Context } from '../context/context.ts';

/**
 * Tells GitHub Actions what came out of a run, where it runs us: annotations on standard error, which it reads too, and the
 * summary of the step. A summary that cannot be written is said, and stops nothing.
 */
export function reportToGithub(
  { github, progress }: Pick<Context, 'github' | 'progress'>,
  result: RunResult,
): void {
  if (github === undefined) return;
  for (const annotation of renderAnnotations(result)) github.printCommand(annotation);
  if (github.summaryFile === undefined) return;
  try {
    appendLine(github.summaryFile, renderStepSummary(result));
  } catch (error) {
    progress.note(`the step summary was not written: ${(error as Error).message}`);
  }
}
