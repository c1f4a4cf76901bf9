/**
 * `npm run bench [part…] [-- flags]`: what the lab adds to the machines it drives, as ratios measured in one run.
 * Times depend on the host; ratios do not, so targets are ratios. Without words: every part but the long loop.
 */
import { parseArgs } from 'node:util';
import { benchmarkAutopsy } from './bench/offline/autopsy.ts';
import { benchmarkBisect } from './bench/offline/bisect.ts';
import { benchmarkJudge, compareJudges } from './bench/offline/judge.ts';
import { benchmarkGate } from './bench/offline/gate.ts';
import { benchmarkList } from './bench/offline/list.ts';
import { benchmarkPlan } from './bench/offline/plan.ts';
import { benchmarkStart } from './bench/offline/start.ts';
import { benchmarkCollector } from './bench/collector.ts';
import { benchmarkDerived } from './bench/derived.ts';
import { benchmarkImages } from './bench/images.ts';
import { benchmarkMemory } from './bench/memory.ts';
import { benchmarkPeers } from './bench/peers.ts';
import { formatRow } from './bench/numbers.ts';
import { benchmarkPaths, benchmarkRestores } from './bench/restores.ts';
import { openSession, type Session } from './bench/session.ts';
import { benchmarkVersions, isCheckout } from './bench/versions.ts';
import { benchmarkWorlds } from './bench/worlds.ts';
import { exitCodeOf, formatError } from '../lab/model/errors/errors.ts';

const print = (line: string): void => console.log(line);
const printRows = async (rows: Promise<Parameters<typeof formatRow>[0][]>): Promise<void> => {
  for (const row of await rows) print(formatRow(row));
};

interface Part {
  readonly about: string;
  /** Runs only when it is named. */
  readonly onRequest?: boolean;
  run(session: Session, flags: Flags): Promise<void>;
}

interface Flags {
  readonly count: number;
  /** Folder of another checkout. */
  readonly other: string;
  /** Words that select cells. */
  readonly cells: readonly string[];
}

/** In the order in which they are run: `worlds` measures the first `up`, which the later ones use. */
const PARTS: Readonly<Record<string, Part>> = {
  worlds: {
    about: 'cold, second and warm start of a world against the bare machine',
    run: (session) => printRows(benchmarkWorlds(session)),
  },
  paths: {
    about: 'the ways back to a snapshot, side by side',
    run: (session) => benchmarkPaths(session, print),
  },
  derived: {
    about:
      'a variant of each kind derived from the default world and built from its image, and both compared',
    run: (session) => benchmarkDerived(session, print),
  },
  memory: {
    about: 'peak memory of lab and QEMU over that of the guest',
    run: (session) => printRows(benchmarkMemory(session)),
  },
  collector: {
    about: 'a node whose evidence is collected against the same node that nobody looks at',
    run: (session) => benchmarkCollector(session, print),
  },
  images: {
    about: 'an image after a changed component against a full bake',
    run: (session) => printRows(benchmarkImages(session.context)),
  },
  start: {
    about: 'how long `whodunit help` and `list` take against a Node that does nothing',
    run: (session) => Promise.resolve(void benchmarkStart(session.context.projectDir, print)),
  },
  list: {
    about: '`whodunit list` of 10,000 and of 100,000 cells',
    run: (session) => Promise.resolve(void benchmarkList(session.context.projectDir)),
  },
  plan: {
    about: 'shards of recorded times against the ideal; a plan and a merge of 100,000 cells',
    run: ({ context }) => Promise.resolve(benchmarkPlan(context, print)),
  },
  gate: {
    about: 'how often the gate is red of cells that did not change',
    run: () => Promise.resolve(benchmarkGate(print)),
  },
  bisect: {
    about: 'a simulated search for a change, --count times (100), beside plain binary search',
    run: (_, { count }) => Promise.resolve(benchmarkBisect(count, print)),
  },
  judge: {
    about: 'a cell with 20 and with 200 MB of logs judged offline; with --other also by that checkout',
    run: async ({ context: { projectDir } }, { other }) => {
      benchmarkJudge(projectDir, print);
      if (other !== '') await compareJudges(projectDir, other, print);
    },
  },
  autopsy: {
    about: 'an autopsy of 20 and of 200 MB of logs in an archive, beside unpacking and grepping them',
    run: ({ context }) => benchmarkAutopsy(context.projectDir, print),
  },
  restores: {
    about: 'one world restored --count times (100), each looked at behind the health gate',
    onRequest: true,
    run: (session, { count }) => benchmarkRestores(session, count, print),
  },
  peers: {
    about:
      'a node with a cluster and one OOM verdict, beside vagrant-libvirt and tmt, which have to be installed',
    onRequest: true,
    run: (session) => benchmarkPeers(session, print),
  },
  versions: {
    about: 'the same cells (--cells set=deaths) by this version and by the checkout in the folder --other',
    onRequest: true,
    run: (session, flags) => benchmarkVersions(session, flags, print),
  },
};

function usage(why: string): never {
  const lines = Object.entries(PARTS).map(([name, { about }]) => `  ${name.padEnd(9)} ${about}`);
  console.error([why, 'parts:', ...lines, 'example: npm run bench restores -- --count 100'].join('\n'));
  process.exit(2);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '100' },
    other: { type: 'string', default: '' },
    cells: { type: 'string', default: 'set=deaths' },
  },
});
const unknown = positionals.filter((name) => !(name in PARTS));
if (unknown.length > 0) usage(`there is no part ${unknown.join(', ')}`);
if (!/^[1-9]\d*$/.test(values.count)) usage(`--count takes a number from 1 on, not "${values.count}"`);
const needsOther = positionals.includes('versions') || values.other !== '';
if (needsOther && !isCheckout(values.other))
  usage(`--other takes the folder of another checkout, not "${values.other}"`);

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
const session = openSession(interrupt.signal);
try {
  for (const [name, part] of Object.entries(PARTS)) {
    if (interrupt.signal.aborted) break;
    const wanted = positionals.length === 0 ? part.onRequest !== true : positionals.includes(name);
    if (!wanted) continue;
    print(`${name}: ${part.about}`);
    await part.run(session, {
      count: Number(values.count),
      other: values.other,
      cells: values.cells.split(/\s+/),
    });
  }
} catch (error) {
  console.error(formatError(error));
  process.exitCode = exitCodeOf(error);
} finally {
  await session.close();
}
