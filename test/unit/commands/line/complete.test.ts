import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLAGS, spellFlag, type FlagName } from '../../../../lab/commands/context/flags.ts';
import { argumentsOf } from '../../../../lab/commands/line/complete-values.ts';
import { listCandidates, takesValue } from '../../../../lab/commands/line/complete.ts';
import { flagsOfVerb } from '../../../../lab/commands/line/verb.ts';
import { VERBS } from '../../../../lab/commands/line/verbs.ts';
import { PROJECT } from '../../project-files.ts';

const RUN = '20250101-0900-before';
const ADDRESS = 'default/sigkill-beside-an-oom';

let stateDir: string;
beforeAll(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'whodunit-complete-'));
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(stateDir, 'runs'), { recursive: true });
  // A run that has no result yet.
  mkdirSync(join(stateDir, 'runs/20990101-0000-begun'));
  for (const kind of ['bisect', 'difference']) {
    mkdirSync(join(stateDir, 'searches', `searched-by-${kind}`), { recursive: true });
    writeFileSync(join(stateDir, 'searches', `searched-by-${kind}`, `${kind}.jsonl`), '');
  }
  mkdirSync(join(stateDir, 'worlds/default'), { recursive: true });
  const nodes = [{ name: 'node-1' }, { name: '; reboot' }, null];
  writeFileSync(join(stateDir, 'worlds/default/world.json'), JSON.stringify({ nodes }));
});
afterAll(() => rmSync(stateDir, { recursive: true }));

const complete = (line: string): Promise<string[]> =>
  listCandidates({ projectDir: PROJECT, stateDir }, `whodunit ${line}`);

describe('completion', () => {
  it.each<readonly [string, readonly string[]]>([
    ['list ', ['cells', 'worlds', 'plain-exit', 'set=']],
    ['help --', ['--all']],
    ['report --format ', ['html', 'json', 'junit', 'markdown']],
    ['explain OOM', ['OOMKilled']],
    ['explain LAB_CON', ['LAB_CONFIG']],
    ['explain km', ['kmsg.log']],
    ['explain 13', ['130', '134', '137', '139']],
    ['explain SIGK', ['SIGKILL']],
    ['killers memcg', ['memcg-oom']],
    ['judge test/fixtures/evidence/oom-single', ['test/fixtures/evidence/oom-single-container/']],
    ['repro driver-mismatch-kill-l', ['driver-mismatch-kill-loop']],
    ['check ', ['latest', RUN, 'docs/']],
    ['case REA', ['README.md']],
    ['gate ', ['plain-exit', 'set=', 'cgroup=']],
    ['plan set=dea', ['set=deaths']],
    ['prove ', [ADDRESS, 'latest', RUN]],
    ['bisect ', [ADDRESS, 'driver-mismatch-kill-loop', 'default/']],
    ['bisect v1/plain-e', ['v1/plain-exit']],
    ['difference ', [ADDRESS, 'default/']],
    [`difference ${ADDRESS} v1/plain-e`, ['v1/plain-exit']],
    ['merge --plan plan.json ', ['latest', RUN, 'docs/']],
    ['shard ', ['manifest', 'bake']],
    ['run --resume ', ['latest', RUN]],
    ['repro x --affected cgroup=v2 os=tri', ['os=trixie']],
    ['report --format=', ['--format=html', '--format=json', '--format=junit', '--format=markdown']],
    ['cache why ', ['image', 'world', 'os=']],
  ])('of %j offers %j', async (line, offered) => {
    expect(await complete(line)).toEqual(expect.arrayContaining([...offered]));
  });

  it.each<readonly [string, readonly string[]]>([
    ['list -o ', ['json', 'name', 'wide']],
    ['list --output=', ['--output=json', '--output=name', '--output=wide']],
    ['list killers memcg', ['memcg-oom']],
    ['list -o name bugs driver-mismatch-kill-l', ['driver-mismatch-kill-loop']],
    ['list runs ', [RUN, '20990101-0000-begun', 'latest']],
    ['list worlds ', []],
    ['list bugs driver-mis', ['driver-mismatch-kill-loop']],
    ['report searched', ['searched-by-bisect', 'searched-by-difference']],
    ['bisect --resume ', ['searched-by-bisect']],
    ['difference --resume ', ['searched-by-difference']],
    ['gate --for run', ['runc', 'runsc']],
    ['shard manifest --engine ', ['github', 'gitlab', 'indexed-job', 'parallel', 'slurm']],
    ['autopsy --node-access ', ['debug-pod', 'kubelet', 'none', 'ssh']],
    ['autopsy pod.yaml --timezone Europe/Vien', ['Europe/Vienna']],
    ['shell ', ['node-1']],
    ['shell node-1 ', []],
    ['shell node-1 -', []],
    ['events latest ', []],
    ['shard manifest ', []],
    ['init test/fix', ['test/fixtures/']],
    ['run x --world ', []],
    ['nonsense ', []],
    ['run --project test/fix', ['test/fixtures/']],
  ])('of %j offers only %j', async (line, offered) => {
    expect(await complete(line)).toEqual([...offered]);
  });
});

/** Arguments that a person makes up, or that belong to another program. */
const FREE_WORDS = ['new name', 'new link', 'kubectl words'];

/** Flags with a number, a time, or a name of something that is not of this project. */
const FREE_VALUES: readonly FlagName[] = [
  'attempt',
  'bad',
  'budget',
  'container',
  'context',
  'debugNamespace',
  'good',
  'host',
  'maxMinutes',
  'maxSize',
  'minutes',
  'parallel',
  'pod',
  'repeat',
  'sample',
  'sampleWorlds',
  'seed',
  'shards',
  'since',
  'year',
];

/** Words that come before the second argument of a verb that has one. */
const FIRST_WORDS: Readonly<Record<string, string>> = { list: 'killers', cache: 'why', difference: ADDRESS };

describe('the table of verbs', () => {
  const words = VERBS.flatMap((verb) =>
    argumentsOf(verb)
      .map(({ kinds }, index) => ({ kinds, words: index === 0 ? [] : [FIRST_WORDS[verb.name] ?? 'x'] }))
      .filter(({ kinds }) => !FREE_WORDS.includes(`${verb.name} ${kinds.join(' ')}`))
      .map(({ words: typed }) => [verb.name, ...typed, ''].join(' ')),
  );

  it.each(words)('has only arguments that are completed, or are free: %s', async (line) => {
    expect(await complete(line)).not.toEqual([]);
  });

  const values = VERBS.flatMap((verb) =>
    flagsOfVerb(verb)
      .filter((flag) => takesValue(verb, flag) && !FREE_VALUES.includes(flag))
      .map((flag) => `${verb.name} ${spellFlag(flag)} `),
  );

  it.each(values)('has only flags whose values are completed, or are free: %s', async (line) => {
    expect(await complete(line)).not.toEqual([]);
  });

  it('has every flag that this test calls free', () => {
    expect(FREE_VALUES.filter((flag) => !FLAGS[flag].endsWith('>'))).toEqual([]);
    const used = new Set(VERBS.flatMap(flagsOfVerb));
    expect(FREE_VALUES.filter((flag) => !used.has(flag))).toEqual([]);
  });
});
