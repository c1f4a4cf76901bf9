import { readBundle, type ReadBundle } from '../../evidence/bundle/read-bundle.ts';
import { isTimezone } from '../../evidence/bundle/zones.ts';
import { linesOf, linesOfStream } from '../../evidence/lines.ts';
import { inputFiles, isInput, type InputFile } from '../../drivers/files/bundle-files.ts';
import {
  describeContainer,
  type AskedDeath,
  type Death,
  type DeathProblem,
} from '../../judge/autopsy/death.ts';
import { judgeDeath, type DeathAnswer } from '../../judge/autopsy/judge-death.ts';
import { listDeaths } from '../../judge/autopsy/list-deaths.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { Autopsy } from '../../model/saved/autopsy.ts';
import { shellWord } from '../../model/text/shell.ts';
import { explainDeath, renderListedDeaths, renderRead } from '../../report/terminal/explain-death.ts';
import type { RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';

/** Of a container that dies all the time, so many deaths are judged. */
const MOST_DEATHS = 20;
/** Names that an error shows. */
const MOST_NAMES = 10;

/** `whodunit autopsy <paths…>`: who killed a container of any cluster, from whatever is left. */
export const runAutopsy: RunVerb = async (_context, words, flags) => {
  const missing = words.filter((word) => !isInput(word));
  if (missing.length > 0)
    throw new UsageError(`there is no file or folder ${missing.join(', ')}`, {
      tryNext: 'npx whodunit help autopsy',
    });
  const { timezone, year } = flags;
  if (timezone !== undefined && !isTimezone(timezone))
    throw new UsageError(`--timezone takes a name like Europe/Berlin, UTC or +02:00; "${timezone}" is none`, {
      tryNext: 'npx whodunit help autopsy',
    });
  const bundle = await readBundle(filesOf(words), { timezone, year });
  if (bundle.sources.length === 0)
    throw new UsageError(`${words.join(', ')}: nothing in it is evidence (${bundle.unknown.length} files)`, {
      tryNext: 'npx whodunit help autopsy',
    });
  const command = `npx whodunit autopsy ${words.map(shellWord).join(' ')}`;
  const isList = flags.list === true;
  const result: Autopsy = {
    formatVersion: FORMAT_VERSION,
    deaths: isList ? [] : judgeAsked(bundle, flags, command),
    listed: isList ? listDeaths(bundle.observations).map(listedOf) : undefined,
    ...readOf(bundle),
  };
  const [newest] = result.deaths;
  return {
    status: newest?.attribution.killer === 'unknown' ? 'inconclusive' : 'passed',
    json: result,
    page: () => render(result),
  };
};

function* filesOf(words: readonly string[]): Generator<{ path: string; lines: ReturnType<typeof linesIn> }> {
  for (const file of inputFiles(words)) yield { path: file.path, lines: linesIn(file) };
}

function linesIn({ chunks }: InputFile): ReturnType<typeof linesOf> | ReturnType<typeof linesOfStream> {
  return Symbol.asyncIterator in chunks ? linesOfStream(chunks) : linesOf({ chunks: () => chunks });
}

/**
 * The death that is asked about; of a container that died several times each of them, the newest first.
 *
 * @throws UsageError when it fits none, or those of several containers.
 */
function judgeAsked({ observations }: ReadBundle, flags: Flags, command: string): Autopsy['deaths'] {
  const asked: AskedDeath = {
    pod: flags.pod,
    container: flags.container,
    attempt: flags.attempt,
    node: flags.node,
  };
  const answer = judgeDeath(observations, asked);
  if (answer.kind === 'answer') return [deathOf(answer, asked)];
  if (answer.kind !== 'several-deaths' || !areOfOne(answer.deaths)) throw refuse(answer, command);
  return answer.deaths.slice(0, MOST_DEATHS).map((death) => {
    const one = {
      ...asked,
      pod: death.podUid ?? asked.pod,
      container: death.containerId,
      attempt: death.attempt,
    };
    const judged = judgeDeath(observations, one);
    if (judged.kind !== 'answer') throw refuse(judged, command);
    return deathOf(judged, { ...asked, container: death.container });
  });
}

/** Whether deaths are those of one container of one pod. */
function areOfOne(deaths: readonly Death[]): boolean {
  return (
    new Set(deaths.map(({ podUid, container }) => `${podUid ?? ''} ${container ?? ''}`)).size === 1 &&
    deaths.every(({ containerId }) => containerId !== undefined)
  );
}

function deathOf(
  { attribution, claims, death, note }: DeathAnswer,
  asked: AskedDeath,
): Autopsy['deaths'][number] {
  const { open = [] } = attribution;
  return {
    pod: death === undefined ? (asked.pod ?? '') : podOf(death),
    container: death?.container ?? asked.container ?? death?.containerId ?? '',
    attempt: death?.attempt,
    node: death?.node,
    at: isoOf(death?.at),
    attribution,
    claims: [...claims],
    next: open.map(({ what, wanted }) => ({ what, would: wanted })),
    note,
  };
}

function listedOf(death: Death): NonNullable<Autopsy['listed']>[number] {
  const { container, containerId, attempt, node, exitCode, reason } = death;
  return {
    pod: podOf(death),
    container: container ?? containerId ?? '',
    attempt,
    node,
    at: isoOf(death.at),
    exitCode,
    reason,
  };
}

function podOf({ namespace, pod, podUid }: Death): string {
  return pod === undefined ? (podUid ?? '') : [namespace, pod].filter(Boolean).join('/');
}

function isoOf(at: number | undefined): string | undefined {
  return at === undefined || !Number.isFinite(at) ? undefined : new Date(at).toISOString();
}

/** What is said when a question fits no death, or several: what there is to ask for. */
function refuse(problem: DeathProblem, command: string): UsageError {
  const known =
    problem.kind === 'several-deaths'
      ? problem.deaths.map(describeContainer)
      : 'known' in problem
        ? [...problem.known]
        : [];
  const names = [...new Set(known)];
  const shown = names.slice(0, MOST_NAMES).map((name) => `  ${name}`);
  const more = names.length > MOST_NAMES ? [`  and ${names.length - MOST_NAMES} more`] : [];
  return new UsageError([problem.says, ...shown, ...more].join('\n'), { tryNext: `${command} --list` });
}

function readOf({ sources, unknown, problems }: ReadBundle): Pick<Autopsy, 'read' | 'unknown' | 'problems'> {
  return {
    read: sources.map(({ file, format, node, from, to, clock, lines, unread }) => ({
      file,
      format,
      node,
      from: isoOf(from),
      to: isoOf(to),
      clock,
      lines,
      unread,
    })),
    unknown: [...unknown],
    problems: [...problems],
  };
}

function render(result: Autopsy): string {
  const [newest, ...older] = result.deaths;
  const page =
    result.listed === undefined
      ? newest === undefined
        ? ''
        : explainDeath(newest)
      : renderListedDeaths(result.listed);
  const before =
    older.length === 0
      ? []
      : [
          `${older.length} earlier deaths of it: ${older.map(({ attempt }) => `--attempt ${attempt ?? '?'}`).join(', ')}`,
        ];
  return [page, ...before, renderRead(result)].join('\n\n');
}
