import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runResultSchema, type RunResult } from '../../../lab/model/saved/formats.ts';
import { VERDICTS } from '../../../lab/model/killers/killers.ts';
import { isPlain } from '../../../lab/model/text/plain-text.ts';
import { createRunOf } from '../../unit/report/made-run.ts';
import { createFullCell, replaceText, textsOf } from '../../unit/report/full-cell.ts';
import { CI_ATTACKS, commandsIn } from '../../unit/model/text/ci-runners.ts';
import { copyProject, type ProjectCopy } from '../support/project-copy.ts';
import { PROJECT, type Ended } from '../support/run-cli.ts';

/** Every text that a CI system may obey, each on lines of its own. */
const ATTACK = Object.values(CI_ATTACKS).join('\n');
/** The same on one line, for names. */
const NAME = '##[add-mask]x';
const RUN = '20990101-0900-hostile';
const OTHER = '20990102-0900-hostile';
const CAPTURE = 'test/fixtures/evidence/oom-single-container';

let base: string;
let project: ProjectCopy;

const FULL_CELLS = VERDICTS.map((verdict) => createFullCell(verdict, `x-${verdict}`));

/** Runs before and after a change, after which a cell ends in another way. */
const GATED = (['memcg-oom', 'self-exit'] as const).map((killer, side) =>
  Array.from({ length: 6 }, (_, index) => {
    const cell = createFullCell('passed', 'x-gated');
    const cells = [{ ...cell, attempts: undefined, attribution: { ...cell.attribution, killer } }];
    return { run: `2099010${3 + side}-090${index}-hostile`, cells };
  }),
);
const GATE = [
  'gate',
  '--base',
  ...GATED[0]!.map(({ run }) => run),
  '--head',
  ...GATED[1]!.map(({ run }) => run),
];

/** The commands that are the lab's own: what a gate says of that change. */
const ownCommands = ([verb]: readonly string[]): string[] =>
  verb === 'gate'
    ? [
        '::error title=default/x-gated changed::this change turns memcg-oom, no end in the API into self-exit, no end in the API in 6 of 6 (base 0 of 6)',
      ]
    : [];

/** A run in which every text that may be any text is a command. */
function forgeRun(run: string, changes: Partial<RunResult>, cells = FULL_CELLS): RunResult {
  const made = createRunOf(cells, { run, host: { os: 'x' }, ...changes });
  const isKept = (path: readonly string[]): boolean =>
    /^(?:run|startedAt|address|scenario|evidence)$/.test(path.at(-1) ?? '');
  return textsOf(made)
    .filter((path) => !isKept(path))
    .reduce((value, path) => {
      const forged = replaceText(value, path, () => ATTACK);
      return runResultSchema.safeParse(forged).success ? forged : value;
    }, made);
}

function saveRun(result: RunResult): void {
  const dir = join(project.home, 'runs', result.run);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'result.json'), JSON.stringify(result));
  const event = { event: 'cell-started', address: ATTACK, at: '2099-01-01T00:00:00.000Z' };
  writeFileSync(join(dir, 'events.jsonl'), `${JSON.stringify(event)}\n`);
}

/** A recorded death of a program with such a name. */
function saveEvidence(folder: string): void {
  cpSync(join(PROJECT, CAPTURE), folder, { recursive: true });
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const path = join(folder, name);
    if (statSync(path).isFile())
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('memory-eater', NAME));
  }
}

/** A bug report, with what a cluster said of a pod. */
function saveReport(folder: string): void {
  const from = join(PROJECT, 'test/fixtures/pastes/p05-eviction-api/input');
  mkdirSync(folder);
  for (const name of readdirSync(from)) {
    const text = readFileSync(join(from, name), 'utf8');
    const quoted = JSON.stringify(ATTACK).slice(1, -1);
    // What a kubelet says is a text in quotes.
    writeFileSync(join(folder, name), text.replaceAll(/(message|reason): .*$/gm, `$1: "${quoted}"`));
  }
  writeFileSync(join(folder, 'report.md'), `# ${NAME}\n\nKubernetes v1.31.2\n\n${ATTACK}\n`);
}

/** A run that somebody else has exported. */
function saveReplay(path: string): void {
  const text = readFileSync(join(PROJECT, 'test/fixtures/small-project/replay.yaml'), 'utf8');
  const quoted = JSON.stringify(NAME);
  writeFileSync(
    path,
    text.replaceAll(/(version|digest|scenario|kubelet|bug|image): ([\w.-]+)/g, `$1: ${quoted}`),
  );
}

/** As much of it as a title may have: one line of letters that somebody sees. */
const TITLE = [...ATTACK.replace(/[\n\r\u2028\u2029]+/g, ' ')].filter(isPlain).slice(0, 250).join('');

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-ci-log-'));
  project = copyProject(base);
  saveRun(forgeRun(RUN, {}));
  saveRun(forgeRun(OTHER, { startedAt: '2026-04-13T10:00:00.000Z', accelerator: 'kvm' }));
  for (const { run, cells } of GATED.flat())
    saveRun(forgeRun(run, { startedAt: '2025-04-13T10:00:00.000Z' }, cells));
  saveEvidence(join(base, 'evidence'));
  saveReport(join(base, 'report'));
  saveReplay(join(base, 'replay.yaml'));
  const from = 'scenarios/oom-single-container';
  cpSync(join(PROJECT, from), join(project.dir, 'scenarios/from-a-stranger'), { recursive: true });
  const scenario = readFileSync(join(PROJECT, from, 'scenario.yaml'), 'utf8');
  project.change(
    'scenarios/from-a-stranger/scenario.yaml',
    scenario
      .replace(/^name: .*$/m, 'name: from-a-stranger')
      .replace(
        /^title: .*$/m,
        stringify({ title: TITLE }, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE' })
          .trim()
          .replace('"title"', 'title'),
      ),
  );
  project.change('scenarios/broken/scenario.yaml', stringify({ name: ATTACK, [NAME]: ATTACK }));
  project.change(`bugs/a-bug.yaml`, stringify({ id: NAME, title: ATTACK, links: [NAME], status: ATTACK }));
  const bug = readFileSync(join(PROJECT, 'bugs/driver-mismatch-kill-loop.yaml'), 'utf8');
  project.change(
    'bugs/from-a-stranger.yaml',
    bug.replace(/^id: .*$/m, 'id: from-a-stranger').replace(/^title: .*$/m, `title: ${JSON.stringify(NAME)}`),
  );
});
afterAll(() => rmSync(base, { recursive: true }));

const run = (words: readonly string[]): Promise<Ended> =>
  project.run(
    words.map((word) => word.replace(/^BASE/, base)),
    { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(base, 'summary.md') },
  );

/** Every verb that prints something of a saved run, of evidence or of files of the project. */
const PRINTING: readonly (readonly string[])[] = [
  ['judge', 'BASE/evidence'],
  ['judge', RUN],
  ['why', 'default/x-failed'],
  ['why', 'default/x-skipped'],
  ['report', RUN],
  ['report', RUN, '--format', 'markdown'],
  ['report', RUN, '--format', 'junit'],
  ['report', RUN, '--format', 'html'],
  ['report', RUN, '--table'],
  ['diff', RUN, OTHER],
  ['diff', 'default/x-failed', 'default/x-passed'],
  ['history', '*'],
  ['runs'],
  ['events', RUN],
  ['scenarios'],
  ['explain', 'from-a-stranger'],
  ['bugs'],
  ['list', 'from-a-stranger'],
  ['list', 'broken'],
  ['completion', 'bash'],
  ['check', 'BASE/evidence'],
  GATE,
  [...GATE, '--markdown'],
  [...GATE, '--save', 'BASE/gate'],
  ['autopsy', 'BASE/evidence'],
  ['autopsy', 'BASE/report'],
  ['autopsy', 'BASE/report', '--list'],
  ['autopsy', 'BASE/report', '--markdown'],
  ['case', 'BASE/report'],
  ['case', 'BASE/report', '--markdown'],
  ['repro', 'BASE/replay.yaml', '--dry-run'],
  ['prove', 'default/x-failed', '--dry-run'],
];
/** What a script may have been given by a stranger. */
const REFUSED: readonly (readonly string[])[] = [
  ['why', ATTACK],
  ['report', NAME],
  ['list', `os=${NAME}`],
  ['explain', ATTACK],
  [NAME],
  ['repro', `::error::${NAME}`],
];

describe.each([...PRINTING, ...REFUSED].map((words) => [words.join(' ').slice(0, 60), words] as const))(
  'whodunit %s in a CI system',
  (_, words) => {
    it('prints no command of somebody else, on neither stream', async () => {
      const { stdout, stderr } = await run(words);
      expect(stdout + stderr).not.toBe('');
      expect(commandsIn(stdout)).toEqual([]);
      expect(commandsIn(stderr)).toEqual(ownCommands(words));
    });
  },
);

describe('the JSON of a hostile run in a CI system', () => {
  it.each([
    ['report', RUN],
    ['why', 'default/x-failed'],
    ['diff', RUN, OTHER],
    ['history', '*'],
    ['scenarios'],
    ['check', 'BASE/evidence'],
    GATE,
    ['autopsy', 'BASE/report'],
    ['case', 'BASE/report'],
  ])('of %s is no command, and means what was saved', async (...words) => {
    const { stdout, stderr } = await run([...words, '--json']);
    expect(commandsIn(stdout)).toEqual([]);
    expect(commandsIn(stderr)).toEqual(ownCommands(words));
    const value: unknown = JSON.parse(stdout);
    if (words[0] === 'report')
      expect(value).toEqual(JSON.parse(readFileSync(join(project.home, 'runs', RUN, 'result.json'), 'utf8')));
    if (words[0] === 'scenarios')
      expect(value).toMatchObject({
        scenarios: expect.arrayContaining([expect.objectContaining({ title: TITLE })]) as unknown,
      });
  });
});
