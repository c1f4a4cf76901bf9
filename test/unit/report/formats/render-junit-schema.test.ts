import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { runResultSchema, type RunResult } from '../../../../lab/model/saved/formats.ts';
import { renderJunit } from '../../../../lab/report/formats/render-junit.ts';
import { PROJECT } from '../../project-files.ts';
import { createRun } from '../made-run.ts';

const schema = readFileSync(join(PROJECT, 'test/fixtures/junit/junit-10.xsd'), 'utf8');

/** What xmllint, compiled to WebAssembly, says against a file. */
async function problemsOf(xml: string): Promise<string[]> {
  const { errors } = await validateXML({ xml: { fileName: 'junit.xml', contents: xml }, schema });
  return errors.map(({ message }) => message);
}

describe('JUnit XML, by the schema of Jenkins', () => {
  it('is right for cells of every verdict, with hostile texts', async () => {
    const result = createRun({
      passed: {},
      failed: { mismatches: [{ field: 'reason', expected: '<a>&"', observed: ']]>\u0000\ud800' }] },
      inconclusive: { note: 'x'.repeat(100_000) },
      interrupted: { note: '' },
      skipped: { note: 'v1-needs-memcg-v1: no "MEMCG_V1" <none>' },
    });
    expect(await problemsOf(renderJunit({ ...result, host: { cpu: 'A & B\u0001', cpus: 2 } }))).toEqual([]);
  });

  it('is right for a run without cells, and for one that was saved long ago', async () => {
    expect(await problemsOf(renderJunit(createRun({})))).toEqual([]);
    const saved = join(PROJECT, 'test/fixtures/run-from-before/20250101-0900-before/result.json');
    const old: RunResult = runResultSchema.parse(JSON.parse(readFileSync(saved, 'utf8')));
    expect(await problemsOf(renderJunit(old))).toEqual([]);
  });

  it('would be found wrong with an attribute that Jenkins does not know', async () => {
    const xml = renderJunit(createRun({})).replace('<testsuites ', '<testsuites skipped="0" ');
    expect((await problemsOf(xml)).join()).toContain("attribute 'skipped' is not allowed");
  });
});
