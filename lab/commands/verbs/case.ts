import { answerCase } from '../../case/answer/answer-case.ts';
import { readCase, type ReadCase } from '../../case/answer/read-case.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { Case } from '../../model/saved/case.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { renderCase } from '../../report/terminal/render-case.ts';
import { renderCaseMarkdown } from '../../report/markdown/render-case-markdown.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { readBugReport } from '../saved/read-bug-report.ts';
import { loadCatalogueIndex } from '../setup/load-catalogue-index.ts';
import { loadQuietly, readPlatform } from '../setup/config.ts';
import { refusePresent, requireWorkDir, writeFiles } from '../setup/new-files.ts';
import { checkMade } from '../../case/candidates/check-made.ts';

/** `whodunit case <path…>`: reads a bug report, and names the cells that may reproduce it; with `--run` it runs them. */
export const runCase: RunVerb = async (context, words, flags) => {
  if (words.filter((word) => word === '-').length > 1)
    throw new UsageError('- is named twice, and standard input can be read once', {
      tryNext: 'npx whodunit case -',
    });
  const { files, problems } = await readBugReport(words, context.clock);
  if (files.every(({ text }) => text.trim() === ''))
    throw new UsageError(['there is no text in the report', ...problems].join('\n'), {
      tryNext: 'npx whodunit case report.md, or paste it: npx whodunit case -',
    });
  const report = await readCase(files);
  const config = loadQuietly(context);
  const answer = answerCase(
    { ...report, problems: [...problems, ...report.problems] },
    {
      config,
      index: loadCatalogueIndex(context, config),
      check: (made) => checkMade(config, readPlatform(context.projectDir), made),
      spelled: words.map(shellWord).join(' '),
    },
  );
  const written = flags.write === true ? writeMade(context, answer) : undefined;
  const known = written === undefined ? answer : { ...answer, written, next: dryRunOfMade(answer) };
  if (flags.run === undefined) return toAnswer(known, flags);
  return runCandidates(context, written === undefined ? config : loadQuietly(context), report, known, flags);
};

function toAnswer(answer: Case, { markdown }: Flags, status: VerbAnswer['status'] = 'passed'): VerbAnswer {
  return markdown === true
    ? { status, json: answer, text: () => renderCaseMarkdown(answer) }
    : { status, json: answer, page: () => renderCase(answer) };
}

/**
 * Writes the scenario that was made from a report, and the bug if the report has a link.
 *
 * @throws UsageError when none could be made, or when files would be replaced.
 */
function writeMade(context: Context, { made, variant }: Case): string[] {
  if (made === undefined)
    throw new UsageError('the report has no manifest of a pod to make a scenario of', {
      tryNext: 'npx whodunit new bug <link of the report>',
    });
  if (made.problems.length > 0)
    throw new UsageError(
      ['its manifests make no scenario that passes the checks', ...made.problems].join('\n'),
      {
        tryNext: 'npx whodunit new bug <link of the report>',
      },
    );
  const folder = requireWorkDir(context);
  refusePresent(folder, made.files, dryRunOfMade({ made, variant }));
  return writeFiles(folder, made.files);
}

/** The next command: a bug is reproduced, and a scenario without one is run. */
function dryRunOfMade({ made, variant }: Pick<Case, 'made' | 'variant'>): string {
  const name = made?.name ?? '';
  const isBug = made?.files.some(({ path }) => path.startsWith('bugs/')) === true;
  const words = (variant?.words ?? []).map(shellWord);
  const command = [...(isBug ? ['repro', name] : ['run', ...words, `scenario=${name}`]), '--dry-run'].join(
    ' ',
  );
  return `npx whodunit ${command}`;
}

async function runCandidates(
  context: Context,
  config: Config,
  report: ReadCase,
  answer: Case,
  flags: Flags,
): Promise<VerbAnswer> {
  // The code that boots machines takes longer to load than a report takes to read.
  const { planCase, stageCase } = await import('../running/stage-case.ts');
  const plans = planCase(context, config, answer);
  const planned = plans.map((staged) => staged.planned);
  if (flags.dryRun === true)
    return toAnswer({ ...answer, planned, next: answer.next.replace(' --dry-run', '') }, flags);
  const [killer] = report.killers;
  const { traces, own } = report;
  const tried = await stageCase(context, config, flags, { traces, killer, own }, plans);
  const isShown = tried.some(({ outcome }) => outcome === 'reproduced');
  const status = context.signal.aborted ? 'interrupted' : isShown ? 'passed' : 'inconclusive';
  return toAnswer({ ...answer, planned, tried }, flags, status);
}
