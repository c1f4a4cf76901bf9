import { findIndexed, keepIndexed, stampProject } from '../../drivers/project/project-index.ts';
import type { ExplainResult } from '../../model/saved/answers.ts';
import { ConfigError, UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { formatHint } from '../../model/text/nearest.ts';
import {
  findCalled,
  listExplanations,
  renderExplanation,
  searchEntries,
} from '../../report/terminal/explain-word.ts';
import { loadConfig } from '../setup/config.ts';
import type { Context, RunVerb } from '../context/context.ts';

/**
 * `whodunit explain <word…>`: explains an axis, rule, killer, field, error code or any other name. If nothing has that
 * name, it prints the explanations in which all of the words occur.
 */
export const runExplain: RunVerb = async (context, words) => {
  const { all, broken } = listKnown(context);
  const word = words.join(' ');
  const called = findCalled(all, word);
  const entries = called.length > 0 ? called : searchEntries(all, words);
  if (entries.length === 0) {
    if (broken !== undefined) throw broken; // it may be declared in the file that is broken
    const known = [...new Set(all.flatMap(({ name }) => [name, name.slice(name.lastIndexOf('.') + 1)]))];
    throw new UsageError(`nothing is called "${word}"${formatHint(word, known)}`, {
      tryNext: 'npx whodunit help explain',
    });
  }
  const result: ExplainResult = { formatVersion: FORMAT_VERSION, word, entries };
  return { status: 'passed', json: result, text: () => renderExplanation(result) };
};

/**
 * Lists everything that can be explained. While a file of the project is broken, these are only the words of whodunit
 * itself.
 */
function listKnown(context: Context): { all: ExplainResult['entries']; broken?: ConfigError } {
  const stamp = stampProject(context);
  const indexed = findIndexed(EXPLANATIONS, stamp) as ExplainResult['entries'] | undefined;
  if (indexed !== undefined) return { all: indexed };
  try {
    const all = listExplanations(loadConfig(context));
    keepIndexed(EXPLANATIONS, stamp, all);
    return { all };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { all: listExplanations(undefined), broken: error };
  }
}

/** The name under which the list is kept. */
const EXPLANATIONS = 'explanations';
