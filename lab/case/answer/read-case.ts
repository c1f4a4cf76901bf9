import { answer } from '../../autopsy/answer.ts';
import { readBundle, type ReadBundle } from '../../evidence/bundle/read-bundle.ts';
import { KILLERS, type Killer } from '../../model/killers/killers.ts';
import type { AutopsyDeath } from '../../model/saved/autopsy.ts';
import { TRAITS, type Trait } from '../../model/declared/traits.ts';
import type { CaseFact, CaseTrace, FactName } from '../../model/saved/case.ts';
import { factsOfManifests, readManifests, type ReportObject } from '../facts/read-manifests.ts';
import { FACT_RULES } from '../facts/fact-rules.ts';
import { readReportFacts } from '../facts/read-facts.ts';
import { readSymptoms } from '../facts/read-symptoms.ts';
import { findTraitWords, isBeforeTrait } from '../facts/traits.ts';
import { splitReport, type ReportFile, type ReportPart } from '../facts/split-report.ts';
import { joinTraces, tracesOfFacts, tracesOfObservations } from '../outcome/traces.ts';
import { EXIT_SANDBOX_LOST, EXIT_SIGKILL } from '../../judge/records/exit-codes.ts';

/** What was read of a report. */
export interface ReadCase {
  readonly title: string;
  readonly links: readonly string[];
  /** Its own link, where the report says which it is; any other link may be of something that it only mentions. */
  readonly own: string | undefined;
  readonly facts: readonly CaseFact[];
  /** What its author writes, without what programs have printed. */
  readonly prose: string;
  readonly traces: readonly CaseTrace[];
  readonly deaths: readonly AutopsyDeath[];
  /** Named by the judge, surest first. */
  readonly killers: readonly Killer[];
  readonly objects: readonly ReportObject[];
  readonly problems: readonly string[];
}

/** Letters of a title. */
const MOST_LETTERS = 200;
const MOST_DEATHS = 20;
const LINK = /https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(?:issues|pull)\/\d+/gi;
/** `https://github.com/owner/name/issues/12`, or `url: …`, and nothing beside it. */
const LINK_LINE =
  /^(?:\W*(?:url|link|report|issue)\W*:\s*)?<?(https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(?:issues|pull)\/\d+)>?$/i;
/** `owner/name · issue #12 · open`: how copies of trackers begin a thread. */
const HEAD = /^([\w.-]+\/[\w.-]+) · (issue|pull request) #(\d+)\b/gm;
const MOST_LINKS = 10;

/** Reads a report: text, manifests, and the logs in it by the readers of `autopsy`. Nothing in it is an instruction. */
export async function readCase(files: readonly ReportFile[]): Promise<ReadCase> {
  const parts = files.flatMap(splitReport);
  const { objects, problems } = readManifests(parts);
  const bundle = await readBundle(
    parts.filter(({ kind }) => kind === 'block').map(({ file, lines }) => ({ path: file, lines })),
  );
  const { deaths, problem } = judge(bundle);
  const read = [...readReportFacts(parts), ...readSymptoms(parts), ...factsOfManifests(objects)];
  const releases = read.filter(({ name, role }) => name === 'kubernetes' && role === 'affected');
  const said = read.filter(
    ({ name, value }) =>
      name !== 'trait' ||
      releases.length === 0 ||
      releases.some((release) => !isBeforeTrait(value as Trait, release.value)),
  );
  const title = titleOf(parts);
  const facts = [
    ...said,
    ...productsOfTrackers(files, said),
    ...traitsOfTrackers(files, said),
    ...traitsOfEnds(said),
    ...versionsOfTrackers(files, said, title),
  ];
  const named = deaths.map(({ attribution }) => attribution.killer).filter((killer) => killer !== 'unknown');
  const traces = joinTraces(tracesOfObservations(bundle.observations), tracesOfFacts(facts));
  return {
    title,
    links: linksOf(files),
    own: ownLinkOf(files),
    facts,
    prose: proseOf(parts),
    traces,
    deaths,
    killers: [...new Set(named)].filter((killer) => KILLERS.includes(killer) && killer !== 'none'),
    objects,
    problems: [...problems, ...problem, ...listUnsaid(facts, traces)],
  };
}

/** A thread of a tracker, as the beginning of a file names it. */
interface Thread {
  readonly file: string;
  readonly repository: string;
  readonly link: string;
}

function threadsOf({ path, text }: ReportFile): Thread[] {
  return [...text.slice(0, 1000).matchAll(HEAD)].map(([, repository = '', kind, number = '']) => ({
    file: path,
    repository,
    link: `https://github.com/${repository}/${kind === 'issue' ? 'issues' : 'pull'}/${number}`,
  }));
}

/** Whose tracker it is says what the report is about: `awslabs/amazon-eks-ami`. */
function productsOfTrackers(files: readonly ReportFile[], said: readonly CaseFact[]): CaseFact[] {
  const rules = FACT_RULES.filter(({ name }) => name === 'product');
  return files.flatMap(threadsOf).flatMap(({ file, repository }) =>
    rules.flatMap(({ words, value = '' }): CaseFact[] => {
      const isSaid = said.some((fact) => fact.name === 'product' && fact.value === value);
      if (isSaid || repository.search(words) < 0) return [];
      return [{ name: 'product', value, role: 'inferred', words: repository, file, line: 1 }];
    }),
  );
}

/** A program that a trait is about has a tracker of its own, in which nobody names it: `google/gvisor`. */
function traitsOfTrackers(files: readonly ReportFile[], said: readonly CaseFact[]): CaseFact[] {
  return files.flatMap(threadsOf).flatMap(({ file, repository }) =>
    TRAITS.flatMap((value): CaseFact[] => {
      const isSaid = said.some((fact) => fact.name === 'trait' && fact.value === value);
      if (isSaid || findTraitWords(value, repository.replace('/', ' ')) === undefined) return [];
      return [{ name: 'trait', value, role: 'inferred', words: repository, file, line: 1 }];
    }),
  );
}

/** Whoever is killed by a signal of the kernel ends with 137; gVisor says 128. */
const OF_OOM: readonly string[] = [EXIT_SIGKILL, EXIT_SANDBOX_LOST].map(String);

/** OOMKilled beside another exit code is of a container whose first process was not the one that was killed. */
function traitsOfEnds(said: readonly CaseFact[]): CaseFact[] {
  const affected = said.filter(({ role }) => role === 'affected');
  const codes = affected.filter(({ name }) => name === 'exit code').map(({ value }) => value);
  const reason = affected.find(({ name, value }) => name === 'reason' && value === 'OOMKilled');
  const isKnown = said.some(({ name, value }) => name === 'trait' && value === 'OOM kill of a child');
  if (reason === undefined || isKnown || codes.length === 0 || codes.some((code) => OF_OOM.includes(code)))
    return [];
  return [{ ...reason, name: 'trait', value: 'OOM kill of a child', role: 'inferred' }];
}

/** Programs whose trackers people write to without naming them. */
const TRACKERS: Readonly<Record<string, CaseFact['name']>> = {
  'containerd/containerd': 'containerd',
  'opencontainers/runc': 'runc',
  'containers/crun': 'crun',
  'cri-o/cri-o': 'cri-o',
};

/** A version in the title is that of the program whose tracker it is, where the report names no other one. */
function versionsOfTrackers(
  files: readonly ReportFile[],
  said: readonly CaseFact[],
  title: string,
): CaseFact[] {
  const value = /\bv?(\d+\.\d+\.\d+)\b/.exec(title)?.[1];
  return files.flatMap(threadsOf).flatMap(({ file, repository }): CaseFact[] => {
    const name = TRACKERS[repository];
    if (name === undefined || value === undefined || said.some((fact) => fact.name === name)) return [];
    return [{ name, value, role: 'inferred', words: title.slice(0, 160), file, line: 1 }];
  });
}

function judge(bundle: ReadBundle): { deaths: AutopsyDeath[]; problem: string[] } {
  if (bundle.sources.length === 0) return { deaths: [], problem: [] };
  try {
    return { deaths: answer(bundle, { isList: true }).deaths.slice(0, MOST_DEATHS), problem: [] };
  } catch (error) {
    return {
      deaths: [],
      problem: [`its logs were not judged: ${error instanceof Error ? error.message : ''}`],
    };
  }
}

/** Letters of prose that are searched for. */
const MOST_PROSE = 20_000;

function linesOfProse(parts: readonly ReportPart[]): ReportPart['lines'] {
  return parts.flatMap(({ kind, lines }) => (kind === 'prose' ? lines : []));
}

function proseOf(parts: readonly ReportPart[]): string {
  return linesOfProse(parts)
    .map(({ text }) => text)
    .join('\n')
    .slice(0, MOST_PROSE);
}

/** A title is among so many lines of prose. */
const TITLE_LINES = 6;

function titleOf(parts: readonly ReportPart[]): string {
  const lines = linesOfProse(parts);
  const texts = lines.map(({ text }) => text.replace(/^#+\s*|^title:\s*/i, '').trim());
  const heading = lines.slice(0, TITLE_LINES).find(({ text }) => /^#\s+\S/.test(text));
  if (heading !== undefined) return heading.text.replace(/^#\s+/, '').trim().slice(0, MOST_LETTERS);
  const first = texts.find(
    (text) =>
      text.length > 3 && !/^(?:what happened|description|describe the bug|https?:\/\/\S+$)/i.test(text),
  );
  return (first ?? '').slice(0, MOST_LETTERS);
}

/** A thread says which it is; else a link that has a line of its own at the top is the report's. */
function ownLinkOf(files: readonly ReportFile[]): string | undefined {
  const [thread] = files.flatMap(threadsOf);
  if (thread !== undefined) return thread.link;
  const top = files.flatMap(({ text }) => text.slice(0, 2000).split('\n').slice(0, TITLE_LINES));
  const own = top.flatMap((line) => LINK_LINE.exec(line.trim())?.[1] ?? []);
  return own.length === 1 ? own[0] : undefined;
}

function linksOf(files: readonly ReportFile[]): string[] {
  const found = files.flatMap((file) => [
    ...threadsOf(file).map(({ link }) => link),
    ...[...file.text.slice(0, 200_000).matchAll(LINK)].map(([link]) => link),
  ]);
  return [...new Set(found)].slice(0, MOST_LINKS);
}

/** What of a cluster a report has to say, by the facts that say it. */
const WANTED: readonly (readonly [what: string, names: readonly FactName[]])[] = [
  ['version of Kubernetes', ['kubernetes']],
  ['kernel or distribution', ['kernel', 'os']],
  ['container runtime', ['containerd', 'cri-o', 'docker']],
];
const NO_TRACE =
  'the report has no trace of an end: no exit code, reason, event, log or counter that a run could be held against';

/** What a reader would have to ask the reporter for. */
function listUnsaid(facts: readonly CaseFact[], traces: readonly CaseTrace[]): string[] {
  const unsaid = WANTED.filter(([, names]) => !facts.some(({ name }) => names.includes(name)));
  return [
    ...unsaid.map(([what]) => `the report does not say its ${what}: kubectl get nodes -o wide`),
    ...(traces.some(({ what }) => what !== 'trait') ? [] : [NO_TRACE]),
  ];
}
