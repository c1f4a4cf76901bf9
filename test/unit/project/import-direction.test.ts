import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import {
  DIRECTION_ZONES,
  FLOORS,
  MAX_FILES,
  placeOf,
  PROCESS_MODULES,
  PURE_FOLDERS,
} from '../../../eslint.zones.js';
import { PROJECT } from '../project-files.ts';

/** The shipped configuration, without the rules that need types: they make each look seconds long. */
const eslint = new ESLint({
  cwd: PROJECT,
  ruleFilter: ({ ruleId }) => ruleId.startsWith('whodunit/') || ruleId.startsWith('no-restricted-'),
  overrideConfig: [{ languageOptions: { parserOptions: { projectService: false } } }],
});

function sourcesIn(folder: string): string[] {
  return readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))
    .sort();
}

async function rulesBrokenBy(code: string, file: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: join(PROJECT, file) });
  return (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
}

function importOf(file: string, target: string): string {
  const path = relative(dirname(file), target);
  return `import '${path.startsWith('.') ? path : `./${path}`}';\n`;
}

/** The first file of a folder, for a probe in its place. */
function anyFile(folder: string): string {
  const [file] = sourcesIn(folder);
  if (file === undefined) throw new Error(`${folder} has no sources: the rule about it is stale`);
  return file;
}

describe('import directions', () => {
  it.each(DIRECTION_ZONES.map((zone) => [`${zone.target} from ${zone.from}`, zone] as const))(
    'refuse an import into %s',
    async (_, { target, from, except }) => {
      const forbidden = sourcesIn(from).find(
        (file) => !except.some((folder) => file.startsWith(`${folder}/`)) && !file.startsWith(`${target}/`),
      );
      expect(forbidden, 'nothing to forbid: the rule is stale').toBeDefined();
      expect(await rulesBrokenBy(importOf(anyFile(target), String(forbidden)), anyFile(target))).toContain(
        'whodunit/import-direction',
      );
    },
  );

  it('allow every pure folder the model and itself', async () => {
    for (const folder of PURE_FOLDERS) {
      const [file, ...others] = sourcesIn(folder);
      const neighbour = others.find((other) => dirname(other) === dirname(String(file)));
      const code =
        importOf(String(file), 'lab/model/errors/errors.ts') +
        importOf(String(file), neighbour ?? String(file));
      expect(await rulesBrokenBy(code, String(file)), folder).toEqual([]);
    }
  });

  it('name only folders and exceptions that exist', () => {
    for (const { target, from, except } of DIRECTION_ZONES) {
      for (const path of [target, from, ...except]) {
        expect(sourcesIn(path).length, path).toBeGreaterThan(0);
      }
    }
  });
});

describe('rooms', () => {
  const areas = Object.entries(FLOORS);

  it.each(areas)('of %s are all on a floor, and no floor has a room that is not there', (area, floors) => {
    const folders = readdirSync(join(PROJECT, area), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(floors.flat().sort()).toEqual(folders.sort());
  });

  it.each(areas)('of %s import only what is below them', async (area, floors) => {
    const [ground, ...above] = floors.flat();
    for (const room of above) {
      const low = anyFile(`${area}/${ground}`);
      const high = anyFile(`${area}/${room}`);
      expect(await rulesBrokenBy(importOf(low, high), low), room).toContain('whodunit/import-direction');
    }
  });

  it('have a place by their path', () => {
    expect(placeOf('lab/judge/case/requests/taint.ts')).toEqual({
      area: 'lab/judge',
      room: 'case',
      floor: 2,
    });
    expect(placeOf('lab/drivers/clock.ts')).toEqual({ area: 'lab/drivers', room: '', floor: 0 });
    expect(placeOf('bin/docs.ts')).toBeUndefined();
  });

  it('are refused when they have more code files than a reader takes in', async () => {
    const folder = mkdtempSync(join(PROJECT, 'lab/'));
    try {
      for (let index = 0; index <= MAX_FILES; index += 1) writeFileSync(join(folder, `f${index}.ts`), '');
      const file = join(relative(PROJECT, folder), 'f0.ts');
      expect(await rulesBrokenBy('export const a = 1;\n', file)).toEqual(['whodunit/room-size']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('every way to import', () => {
  it.each([
    ["import type { Host } from '../../drivers/files/files.ts';\n"],
    ["export { readJson } from '../../drivers/files/files.ts';\n"],
    ["export * from '../../drivers/files/files.ts';\n"],
    ["export const load = () => import('../../drivers/files/files.ts');\n"],
    ["export type Files = typeof import('../../drivers/files/files.ts');\n"],
  ])('is seen: %s', async (code) => {
    expect(await rulesBrokenBy(code, 'lab/plan/cells/plan-cells.ts')).toEqual(['whodunit/import-direction']);
  });
});

describe('the outside world', () => {
  const reaches: [name: string, code: string][] = [
    ['the clock', 'export const now = Date.now();\n'],
    ['a timer', 'setTimeout(() => undefined, 1);\n'],
    ['the environment', 'export const home = process.env.HOME;\n'],
    ...PROCESS_MODULES.map((name): [string, string] => [
      name,
      `import '${name.replace('*', 'client-node')}';\n`,
    ]),
    ['cdktf', "import 'cdktf';\n"],
  ];
  it.each(reaches)('is out of reach of all but drivers: %s', async (_, code) => {
    const folders = [...PURE_FOLDERS, 'lab/world', 'provision'];
    for (const folder of folders) {
      const broken = await rulesBrokenBy(code, anyFile(folder));
      expect(broken.join(), folder).toMatch(/no-restricted-(imports|properties|globals)/);
    }
  });

  it('is open to drivers', async () => {
    const code = "import 'node:child_process';\nimport 'zx';\nexport const now = Date.now();\n";
    expect(await rulesBrokenBy(code, anyFile('lab/drivers'))).toEqual([]);
  });

  it('is closed for files of the state folder in world and commands', async () => {
    for (const folder of ['lab/world', 'lab/commands']) {
      expect(await rulesBrokenBy("import 'node:fs';\n", anyFile(folder))).toEqual(['no-restricted-imports']);
    }
  });

  it('gives cdktf to stacks alone', async () => {
    expect(await rulesBrokenBy("import 'cdktf';\n", anyFile('stacks'))).toEqual([]);
  });
});
