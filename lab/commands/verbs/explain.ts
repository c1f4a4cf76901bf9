import type { ExplainResult } from '../../model/saved/answers.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { isCalled, listExplanations, renderExplanation } from '../../report/terminal/explain-word.ts';
import { loadConfig } from '../setup/config.ts';
import type { RunVerb } from '../context/context.ts';

/** `whodunit explain <word>`: what an axis, rule, killer, field, error code or any other name of ours means. */
export const runExplain: RunVerb = async (context, words) => {
  const [word = ''] = words;
  const all = listExplanations(loadConfig(context));
  const entries = uniqueEntries(all.filter((entry) => isCalled(entry, word)));
  if (entries.length === 0) {
    const known = [...new Set(all.flatMap(({ name }) => [name, name.slice(name.lastIndexOf('.') + 1)]))];
    throw new UsageError(`nothing is called "${word}"${formatHint(word, known)}`, {
      tryNext: 'npx whodunit help explain',
    });
  }
  const result: ExplainResult = { formatVersion: FORMAT_VERSION, word, entries };
  return { status: 'passed', json: result, text: () => renderExplanation(result) };
};

/** Formats have parts in common: a field that says the same in several is explained once. */
function uniqueEntries(entries: ExplainResult['entries']): ExplainResult['entries'] {
  const told = new Map<string, ExplainResult['entries'][number]>();
  for (const entry of entries) {
    const last = entry.name.slice(entry.name.lastIndexOf('.') + 1);
    const key = entry.kind.startsWith('field of ')
      ? `${last}\n${entry.text.join('\n')}`
      : `${entry.kind}\n${entry.name}`;
    if (!told.has(key)) told.set(key, entry);
  }
  return [...told.values()];
}
