import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WAYS } from '../../../lab/check/match-tables.ts';
import { HYPOTHESES } from '../../../lab/judge/killer/hypothesis-table.ts';
import { KILLERS } from '../../../lab/model/killers/killers.ts';

const FOLDER = join(import.meta.dirname, '../../../lab/check');
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
const sources = names.map((name) => readFileSync(join(FOLDER, name), 'utf8'));
const all = sources.join('\n');

describe('the checker', () => {
  it('imports its own files, its own tables and the types of a saved proof, and nothing else', () => {
    const imports = [...all.matchAll(/^import (type )?.* from '(.*?)'(?: with \{ type: 'json' \})?;$/gm)];
    expect(imports.length).toBeGreaterThan(3);
    const foreign = imports.filter(([, type, from = '']) => {
      const isOwn = /^\.\/(?:[\w-]+\.ts|tables\.json)$/.test(from);
      return !isOwn && !(type !== undefined && from.startsWith('../model/saved/'));
    });
    expect(foreign.map(([line]) => line)).toEqual([]);
    expect(all).not.toMatch(/\bimport\(|\brequire\(/);
  });

  it('has at most 400 lines of code, and nothing but data beside them', () => {
    expect(readdirSync(FOLDER).filter((name) => !name.endsWith('.ts'))).toEqual(['tables.json']);
    const code = all.split('\n').filter((line) => !/^\s*(?:\/\/|\/\*|\*|$)/.test(line));
    expect(code.length).toBeLessThanOrEqual(400);
  });

  it('knows every way to the end that the judge hears: add a row to lab/check/tables.json for a new one', () => {
    const known = HYPOTHESES.flatMap(({ what, killers }) =>
      killers.length === 0 ? [`${what}: -`] : killers.map((killer) => `${what}: ${killer}`),
    );
    expect(WAYS.map(({ what, killer }) => `${what}: ${killer}`).sort()).toEqual(known.sort());
  });

  it('knows every killer', () => {
    const named = new Set(WAYS.map(({ killer }) => killer));
    expect(KILLERS.filter((killer) => !named.has(killer))).toEqual(['unknown']);
  });

  it.each(HYPOTHESES)('lets the same acts end it as the judge: $what', ({ what, acts, left }) => {
    const own = WAYS.filter((way) => way.what === what);
    for (const way of own) {
      expect([...way.acts].sort()).toEqual([...acts].sort());
      const sources = left.sources.map((set) => set.join(' '));
      expect([...way.sources].sort()).toEqual(sources.sort());
    }
  });
});
