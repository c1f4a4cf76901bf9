import { answer, type AutopsyQuestion } from '../../autopsy/answer.ts';
import { collectLive } from '../../autopsy/live/collect-live.ts';
import { describeLive, printCommands } from '../../autopsy/live/describe-live.ts';
import { NODE_ACCESSES, type LiveQuestion } from '../../autopsy/live/live-files.ts';
import { BUNDLE_LIMITS, type OpenedFile } from '../../drivers/bundles/bundle-file.ts';
import { openBundle } from '../../drivers/bundles/open-bundle.ts';
import { BundleReading } from '../../drivers/bundles/bundle-reading.ts';
import { linesOfStream, type Line } from '../../evidence/lines.ts';
import { readBundle } from '../../evidence/bundle/read-bundle.ts';
import { isTimezone } from '../../evidence/bundle/zones.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { plural } from '../../model/text/plural.ts';
import { renderAsked, renderDeaths } from '../../report/terminal/render-autopsy.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';

/** `whodunit autopsy`: who killed a pod that the lab did not stage, by files that anybody has, or by a cluster that is up. */
export const runAutopsy: RunVerb = async (context, words, flags) => {
  if (flags.kubeconfig !== undefined || flags.printCommands === true)
    return askCluster(context, words, flags);
  if (words.length === 0)
    throw new UsageError('name files, folders or archives, or - for standard input', {
      tryNext: 'npx whodunit help autopsy',
    });
  const reading = new BundleReading(BUNDLE_LIMITS);
  return judgeFiles(openBundle(words, process.stdin, reading), flags, () =>
    reading.problems.map(({ path, why }) => `${path} ${why}`),
  );
};

/** Problems that an error names. */
const MAX_PROBLEMS = 10;

/** What is asked of the files. */
function questionOf({ pod, container, attempt, node, list }: Flags): AutopsyQuestion {
  return { pod, container, attempt, node, isList: list === true };
}

async function judgeFiles(
  files: AsyncIterable<OpenedFile>,
  flags: Flags,
  listProblems: () => readonly string[],
): Promise<VerbAnswer> {
  const { timezone, year } = flags;
  if (timezone !== undefined && !isTimezone(timezone))
    throw new UsageError(`--timezone takes a name like Europe/Berlin, UTC or +02:00; "${timezone}" is none`, {
      tryNext: 'npx whodunit help autopsy',
    });
  const bundle = await readBundle(withLines(files), { timezone, year });
  if (bundle.sources.length === 0) throw refuseBundle(bundle.unknown.length, listProblems());
  const whole = { ...bundle, problems: [...listProblems(), ...bundle.problems] };
  const autopsy = answer(whole, questionOf(flags));
  const isNamed = autopsy.deaths[0]?.attribution.killer !== 'unknown';
  return {
    status: isNamed || flags.list === true ? 'passed' : 'inconclusive',
    json: autopsy,
    page: () => (flags.list === true ? renderDeaths(autopsy) : renderAsked(autopsy)),
  };
}

/** Nothing of what was given is evidence. */
function refuseBundle(others: number, problems: readonly string[]): UsageError {
  const lines = [
    `nothing that was given is evidence (${plural(others, 'file')} of no known format)`,
    ...problems.slice(0, MAX_PROBLEMS),
  ];
  return new UsageError(lines.join('\n'), { tryNext: 'docs/autopsy.md has every format that is read' });
}

async function* withLines(
  files: AsyncIterable<OpenedFile>,
): AsyncGenerator<{ path: string; lines: AsyncIterable<Line> }> {
  for await (const { path, pieces } of files) yield { path, lines: linesOfStream(pieces) };
}

/** A pod of a cluster that is up: it is read, and what was read is judged as files are. */
async function askCluster(context: Context, words: readonly string[], flags: Flags): Promise<VerbAnswer> {
  const question = liveQuestion(words, flags);
  if (flags.printCommands === true)
    return { status: 'passed', text: () => printCommands(question, context.clock.now()) };
  if (flags.dryRun === true) return { status: 'passed', text: () => describeLive(question) };
  const { openForeignCluster } = await import('../../drivers/kubernetes/foreign-cluster.ts');
  const { kubeconfig = '', context: chosen } = flags;
  const done = context.hold();
  try {
    const options = chosen === undefined ? { kubeconfig } : { kubeconfig, context: chosen };
    const cluster = openForeignCluster(options, context.signal);
    const { files, missing } = await collectLive(context, cluster, question);
    const pod = `${question.namespace}/${question.pod}`;
    return await judgeFiles(toBundle(files), { ...flags, pod }, () =>
      missing.map(({ path, why }) => `${path}: ${why}`),
    );
  } finally {
    await done();
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
