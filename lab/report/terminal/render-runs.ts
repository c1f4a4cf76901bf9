import type { RunsResult } from '../../model/saved/answers.ts';
import { VERDICTS } from '../../model/killers/killers.ts';
import { shellWord } from '../../model/text/shell.ts';
import { joinLines, textTable } from '../text/text-table.ts';

type SavedRun = RunsResult['runs'][number];

/** Renders `whodunit runs`: one line a run, newest first, and the next command. */
export function renderRuns({ runs }: RunsResult): string {
  if (runs.length === 0) return 'no saved runs yet\nnext: npx whodunit run';
  const rows = runs.map((run) => [
    run.run,
    run.startedAt === undefined ? '-' : run.startedAt.slice(0, 16).replace('T', ' '),
    run.problem ?? describeTotals(run),
    describeQuestion(run),
  ]);
  return joinLines([
    ...textTable([['run', 'began (UTC)', 'cells', 'selected by'], ...rows]),
    '',
    `next: npx whodunit ${nextVerb(runs)}`,
  ]);
}

/** The report of the newest run that has a result; without any, what happened in the newest. */
function nextVerb(runs: RunsResult['runs']): string {
  const [newest] = runs;
  const finished = runs.find(({ problem }) => problem === undefined);
  if (finished === undefined) return newest === undefined ? 'run' : `events ${newest.run}`;
  return `report ${finished === newest ? 'latest' : finished.run}`;
}

/** `3 passed, 1 failed`: the verdicts that occur. */
function describeTotals({ totals }: SavedRun): string {
  const parts = VERDICTS.flatMap((verdict) => (totals?.[verdict] ? [`${totals[verdict]} ${verdict}`] : []));
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function describeQuestion({ words, bug }: SavedRun): string {
  if (bug !== undefined) return `repro ${bug}`;
  if (words === undefined) return '-';
  return words.length === 0 ? 'set=quick' : words.map(shellWord).join(' ');
}
