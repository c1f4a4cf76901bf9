import { answer, type AutopsyQuestion } from '../../autopsy/answer.ts';
import { collectLive } from '../../autopsy/live/collect-live.ts';
import { describeLive, printCommands } from '../../autopsy/live/describe-live.ts';
import { NODE_ACCESSES, type LiveFiles, type LiveQuestion } from '../../autopsy/live/live-files.ts';
import { BUNDLE_LIMITS, type OpenedFile } from '../../drivers/bundles/bundle-file.ts';
import { BundleReading } from '../../drivers/bundles/bundle-reading.ts';
import { createKeeper } from '../../drivers/bundles/keep-files.ts';
import { openBundle } from '../../drivers/bundles/open-bundle.ts';
import { refuseFilled } from '../../drivers/bundles/saved-folder.ts';
import type { ForeignCluster } from '../../drivers/kubernetes/foreign-cluster.ts';
import type { BundleFile } from '../../evidence/bundle/collected.ts';
import type { LineSieve } from '../../evidence/line-sieve.ts';
import { linesOfStream } from '../../evidence/lines.ts';
import { readBundle, type ReadBundle } from '../../evidence/bundle/read-bundle.ts';
import { isTimezone } from '../../evidence/bundle/zones.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { REDACTIONS, type Redaction, type SavedAutopsy } from '../../model/saved/saved-autopsy.ts';
import { plural } from '../../model/text/plural.ts';
import { shellWord } from '../../model/text/shell.ts';
import { sum } from '../../model/text/sum.ts';
import { row } from '../../report/text/page-rows.ts';
import { joinLines } from '../../report/text/text-table.ts';
import {
  renderAutopsyMarkdown,
  renderDeathsMarkdown,
} from '../../report/markdown/render-autopsy-markdown.ts';
import { renderAskedDeath, renderListedDeaths } from '../../report/terminal/render-autopsy.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { isGiven, type Flags } from '../context/flags.ts';
import { isSavedAutopsy, openSaved, readSavedAutopsy } from '../saved/read-saved-autopsy.ts';
import { saveAutopsy } from '../saved/save-autopsy.ts';

/** `whodunit autopsy`: finds out who killed a pod of any cluster, from files or through a kubeconfig. */
export const runAutopsy: RunVerb = async (context, words, flags) => {
  if (flags.kubeconfig !== undefined || flags.printCommands === true)
    return askCluster(context, words, flags);
  if (words.length === 0)
    throw new UsageError('name files, folders or archives, or - for standard input', {
      tryNext: 'npx whodunit help autopsy',
    });
  const [word = ''] = words;
  if (words.length === 1 && isSavedAutopsy(word)) return askSaved(word, flags);
  const reading = new BundleReading(BUNDLE_LIMITS);
  return judgeFiles(openBundle(words, process.stdin, reading), flags, () =>
    reading.problems.map(({ path, why }) => `${path} ${why}`),
  );
};

/** Returns the question about the files. */
function questionOf({ pod, container, attempt, node, list }: Flags): AutopsyQuestion {
  return { pod, container, attempt, node, isList: list === true };
}

/** Answers the saved question of a folder of `--save`, unless flags ask another one. */
async function askSaved(folder: string, flags: Flags): Promise<VerbAnswer> {
  const saved = readSavedAutopsy(folder);
  const { question, options } = saved;
  const isAsked = isGiven('pod', flags) || isGiven('list', flags);
  const asked = isAsked ? options : { ...options, ...question, list: question.isList };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return judgeFiles(
    openSaved(folder, saved),
    { ...Object.fromEntries(given), ...flags },
    () => saved.leftOut,
  );
}

async function judgeFiles(
  files: AsyncIterable<OpenedFile>,
  flags: Flags,
  listProblems: () => readonly string[],
): Promise<VerbAnswer> {
  const { timezone, year, save: folder } = flags;
  if (folder === undefined) return judgeRead(await read(files, flags, listProblems), flags);
  const redact = redactionOf(flags);
  refuseFilled(folder);
  const keeper = createKeeper();
  try {
    const bundle = await read(keeper.keep(files), flags, listProblems);
    const question = questionOf(flags);
    const autopsy = answer(bundle, question);
    const options = { timezone, year };
    const saved = await saveAutopsy({
      folder,
      kept: keeper.files,
      bundle,
      autopsy,
      question,
      options,
      redact,
    });
    return judgeRead(bundle, flags, describeSaved(folder, saved));
  } finally {
    keeper.close();
  }
}

async function read(
  files: AsyncIterable<OpenedFile>,
  { timezone, year }: Flags,
  listProblems: () => readonly string[],
): Promise<ReadBundle> {
  if (timezone !== undefined && !isTimezone(timezone))
    throw new UsageError(`--timezone takes a name like Europe/Berlin, UTC or +02:00, not "${timezone}"`, {
      tryNext: 'npx whodunit help autopsy',
    });
  const bundle = await readBundle(withLines(files), { timezone, year });
  return { ...bundle, problems: [...listProblems(), ...bundle.problems] };
}

/** @param more lines after the page. */
function judgeRead(bundle: ReadBundle, flags: Flags, more: readonly string[] = []): VerbAnswer {
  const autopsy = answer(bundle, questionOf(flags));
  const isNamed = autopsy.deaths[0]?.attribution.killer !== 'unknown';
  const isList = flags.list === true;
  const given: VerbAnswer = { status: isNamed || isList ? 'passed' : 'inconclusive', json: autopsy };
  if (flags.markdown === true) {
    const render = isList ? renderDeathsMarkdown : renderAutopsyMarkdown;
    return { ...given, text: () => render(autopsy).trimEnd() };
  }
  return {
    ...given,
    page: () => {
      const page = isList ? renderListedDeaths(autopsy) : renderAskedDeath(autopsy);
      return more.length === 0 ? page : `${page.trimEnd()}\n\n${joinLines(more)}`;
    },
  };
}

function redactionOf({ redact = 'secrets' }: Flags): Redaction {
  const found = REDACTIONS.find((one) => one === redact);
  if (found !== undefined) return found;
  throw new UsageError(`--redact takes ${REDACTIONS.join(' or ')}, not "${redact}"`, {
    tryNext: 'npx whodunit help autopsy',
  });
}

function describeSaved(folder: string, { files, redacted, leftOut, isWhole }: SavedAutopsy): string[] {
  const values = sum(redacted.map(({ count }) => count));
  return [
    row(
      'saved',
      `${folder}: ${plural(files.length, 'file')}, ${plural(values, 'text')} taken out; other secrets may be left`,
    ),
    ...(isWhole === true ? [row('', 'with lines of other times and other pods: the answer needs them')] : []),
    ...leftOut.map((why) => row('', `not saved: ${why}`)),
    row('again', `npx whodunit judge ${shellWord(folder)}`),
  ];
}

async function* withLines(files: AsyncIterable<OpenedFile>): AsyncGenerator<BundleFile> {
  for await (const { path, pieces } of files) {
    const sieve: LineSieve = { pattern: undefined };
    yield { path, lines: linesOfStream(pieces, sieve), sieve };
  }
}

/** Reads a pod through a kubeconfig, and judges what was read like files. */
async function askCluster(context: Context, words: readonly string[], flags: Flags): Promise<VerbAnswer> {
  const question = liveQuestion(words, flags);
  if (flags.printCommands === true)
    return { status: 'passed', text: () => printCommands(question, context.clock.now()) };
  const { openForeignCluster } = await import('../../drivers/kubernetes/foreign-cluster.ts');
  const { kubeconfig = '', context: chosen } = flags;
  const options = chosen === undefined ? { kubeconfig } : { kubeconfig, context: chosen };
  const cluster = openForeignCluster(options, context.signal);
  if (flags.dryRun === true) return { status: 'passed', text: () => describeLive(question) };
  const { files, missing } = await collectHeld(context, cluster, question);
  const pod = `${question.namespace}/${question.pod}`;
  return judgeFiles(toBundle(files), { ...flags, pod }, () =>
    missing.map(({ path, why }) => `${path}: ${why}`),
  );
}

/**
 * Collects what a cluster says. An interrupt has to remove the debug pod, so it is held until then, and no longer: while
 * the files are judged, nobody would look at it.
 */
async function collectHeld(
  context: Context,
  cluster: ForeignCluster,
  question: LiveQuestion,
): Promise<LiveFiles> {
  const releaseHold = context.hold();
  try {
    return await collectLive(context, cluster, question);
  } finally {
    await releaseHold();
    context.signal.throwIfAborted();
  }
}

async function* toBundle(
  files: readonly { readonly path: string; readonly text: string }[],
): AsyncGenerator<OpenedFile> {
  for (const { path, text } of files) yield { path, pieces: piecesOf(text) };
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function liveQuestion(words: readonly string[], flags: Flags): LiveQuestion {
  const [word = '', ...more] = words;
  const [, namespace, pod] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(word) ?? [];
  const { nodeAccess = 'none', debugNamespace = 'default' } = flags;
  const access = NODE_ACCESSES.find((way) => way === nodeAccess);
  const problems = [
    ...(namespace === undefined || more.length > 0 ? ['name one pod as <namespace>/<name>'] : []),
    ...(access === undefined ? [`--node-access takes ${NODE_ACCESSES.join(', ')}, not "${nodeAccess}"`] : []),
  ];
  if (namespace === undefined || pod === undefined || access === undefined || problems.length > 0)
    throw new UsageError(problems.join('\n'), { tryNext: 'npx whodunit help autopsy' });
  return { namespace, pod, access, debugNamespace };
}
