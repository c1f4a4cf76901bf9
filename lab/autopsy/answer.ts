import { describeContainer, type AskedDeath, type Death, type DeathProblem } from '../judge/autopsy/death.ts';
import { judgeDeath, judgeDeathIn, type DeathAnswer } from '../judge/autopsy/judge-death.ts';
import { openInput, type OpenInput } from '../judge/autopsy/open-input.ts';
import { UsageError } from '../model/errors/errors.ts';
import { FORMAT_VERSION } from '../model/files/format-version.ts';
import type { Autopsy, AutopsyDeath } from '../model/saved/autopsy.ts';
import { listNext } from '../report/words/next-evidence.ts';
import type { ReadBundle } from '../evidence/bundle/read-bundle.ts';

/** What is asked of a bundle. */
export interface AutopsyQuestion extends AskedDeath {
  /** Every death, not only one. */
  readonly isList?: boolean;
}

/** Deaths that are judged for a list. */
const MAX_LISTED = 200;

/**
 * Answers a question about a bundle. The same bundle and question give the same answer, wherever it is asked.
 *
 * @throws UsageError when the question fits no death, or several.
 */
export function answer(bundle: ReadBundle, question: AutopsyQuestion): Autopsy {
  refuseNothing(bundle);
  const { deaths, refused } =
    question.isList === true ? listAll(bundle, question) : judgeAsked(bundle, question);
  return {
    formatVersion: FORMAT_VERSION,
    deaths,
    read: bundle.sources.map(({ file, format, node, from, to, lines, unread }) => ({
      file,
      format,
      ...(node === undefined ? {} : { node }),
      ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
      ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
      lines,
      unread,
    })),
    unknown: [...bundle.unknown],
    problems: [...bundle.problems, ...refused],
  };
}

/** Files that are named when none is evidence. */
const MAX_NAMED = 10;

function refuseNothing({ sources, unknown, silent, others, problems }: ReadBundle): void {
  if (sources.length > 0) return;
  const files = [
    ...problems,
    ...unknown.map((path) => `${path}: ${describeUnknown(silent.get(path), others.get(path))}`),
  ];
  const named = files.slice(0, MAX_NAMED).map((file) => `  ${file}`);
  const more = files.length > MAX_NAMED ? [`  and ${files.length - MAX_NAMED} more`] : [];
  throw new UsageError(['nothing that was given is evidence', ...named, ...more].join('\n'), {
    tryNext:
      'add `kubectl get pod <name> -o yaml` and, of its node, `journalctl -k`; docs/autopsy.md has every format',
  });
}

function describeUnknown(silent: string | undefined, other: string | undefined): string {
  if (other !== undefined) return `it is ${other}; that tells of no end`;
  return silent === undefined
    ? 'it has no known format: no line is of a log of a node, or of an object of the API'
    : `it has lines of ${silent}, and none of them tells of an end`;
}

/** What is said of an end of which only a table tells. */
const BY_TABLE = 'only a table tells of this end, and nothing beside it that was given';

/** The death that is asked about. Several attempts of one container are one question: all are answered, newest first. */
function judgeAsked(bundle: ReadBundle, question: AutopsyQuestion): Judged {
  const { observations, problems, tables } = bundle;
  const input = openInput(observations);
  const found = judgeDeathIn(input, question);
  const isKnown = found.kind === 'answer' ? found.death !== undefined : !found.kind.startsWith('no-');
  if (!isKnown && knowsDeath(tables, question)) return markTables(judgeAsked(tables, question));
  if (found.kind === 'answer') return { deaths: [describe(found, question)], refused: [] };
  const deaths = found.kind === 'several-deaths' ? found.deaths : [];
  const [first] = deaths;
  const isOne = first?.container !== undefined && deaths.every((death) => isSameContainer(death, first));
  if (!isOne) throw refuse(found, problems);
  const judged = judgeEach(input, deaths, { ...question, container: first.container });
  if (judged.deaths.length > 0) return { ...judged, refused: [] };
  // All of them are refused for one reason.
  const again = judgeDeathIn(input, askOf(first));
  throw refuse(again.kind === 'answer' ? found : again, problems);
}

function knowsDeath(tables: ReadBundle | undefined, question: AskedDeath): tables is ReadBundle {
  if (tables === undefined) return false;
  const found = judgeDeath(tables.observations, question);
  // A pod that is asked about by name is in the table, whatever its row says.
  if (found.kind === 'answer') return question.pod !== undefined || found.death !== undefined;
  return !found.kind.startsWith('no-');
}

function markTables({ deaths, refused }: Judged): Judged {
  return {
    deaths: deaths.map(({ note, ...death }) => ({
      ...death,
      note: [BY_TABLE, note].filter(Boolean).join('. '),
    })),
    refused,
  };
}

function isSameContainer(one: Death, other: Death): boolean {
  return one.podUid === other.podUid && one.container === other.container && one.node === other.node;
}

/** Deaths, and of each that cannot be judged the reason. */
interface Judged {
  readonly deaths: AutopsyDeath[];
  readonly refused: string[];
}

function listAll({ observations, problems, tables }: ReadBundle, question: AutopsyQuestion): Judged {
  const input = openInput(observations);
  const asked = input.deaths.filter((death) => isAskedFor(death, question));
  if (asked.length === 0 && tables !== undefined) {
    const told = openInput(tables.observations).deaths.filter((death) => isAskedFor(death, question));
    if (told.length > 0) return markTables(listAll(tables, question));
  }
  if (asked.length === 0 && input.deaths.length > 0) {
    const says = 'no death in the input is the one that was asked for; there are';
    throw refuse({ kind: 'several-deaths', says, deaths: input.deaths }, problems);
  }
  return judgeEach(input, asked, question);
}

function judgeEach(input: OpenInput, deaths: readonly Death[], question: AutopsyQuestion): Judged {
  const judged: Judged = { deaths: [], refused: [] };
  for (const death of deaths.slice(0, MAX_LISTED)) {
    const found = judgeDeathIn(input, askOf(death));
    if (found.kind === 'answer') judged.deaths.push(describe(found, question));
    // A process without a pod is nobody's question.
    else if (found.kind === 'windows' || found.kind === 'another-node')
      judged.refused.push(`${describeContainer(death)}: ${found.says}`);
  }
  return judged;
}

function askOf(death: Death): AskedDeath {
  const { podUid, container, containerId, attempt, node } = death;
  return { pod: podUid ?? podOf(death), container: containerId ?? container, attempt, node };
}

function isAskedFor(death: Death, { pod, container, node }: AutopsyQuestion): boolean {
  return (
    (pod === undefined || pod === podOf(death) || pod === death.pod) &&
    (container === undefined || container === death.container) &&
    (node === undefined || node === death.node)
  );
}

function podOf({ namespace, pod }: Pick<Death, 'namespace' | 'pod'>): string | undefined {
  if (pod === undefined) return undefined;
  return namespace === undefined ? pod : `${namespace}/${pod}`;
}

function describe(found: DeathAnswer, question: AutopsyQuestion): AutopsyDeath {
  const { attribution, claims, death, note, otherPanic } = found;
  const place = { namespace: found.pod.namespace, pod: found.pod.name, node: found.pod.node ?? death?.node };
  const pod = podOf(place) ?? question.pod;
  const container = (death?.container ?? found.container) || question.container;
  const { attempt = question.attempt, at } = death ?? {};
  const { excluded = [], open = [], killer } = attribution;
  const named = killer === 'unknown' ? [] : [{ what: killer, state: 'seen' as const }];
  return {
    ...(pod === undefined ? {} : { pod }),
    ...(container === undefined ? {} : { container }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(place.node === undefined ? {} : { node: place.node }),
    ...(at === undefined ? {} : { at: new Date(at).toISOString() }),
    attribution,
    hypotheses: [
      ...named,
      ...excluded.map(({ what, by }) => ({ what, state: 'excluded' as const, why: by })),
      ...open.map(({ what, why }) => ({ what, state: 'open' as const, why })),
    ],
    claims: [...claims],
    next: listNext(open, { ...place, container }),
    ...(note === undefined ? {} : { note }),
    ...(otherPanic === undefined ? {} : { otherPanic }),
  };
}

/** A question that fits no death or several is answered by what there is. */
function refuse(problem: DeathProblem, problems: readonly string[]): UsageError {
  const known =
    'deaths' in problem ? problem.deaths.map(describeContainer) : 'known' in problem ? problem.known : [];
  const lines = [problem.says, ...[...new Set(known)].slice(0, 20).map((name) => `  ${name}`)];
  for (const said of problems.slice(0, MAX_NAMED)) lines.push(`  ${said}`);
  return new UsageError(lines.join('\n'), {
    tryNext: 'name one: --pod ns/name --container c --attempt n; or --list',
  });
}
