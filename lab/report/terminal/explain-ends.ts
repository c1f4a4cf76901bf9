import type { ExplainResult } from '../../model/saved/answers.ts';
import type { LoadedScenario, Outcome } from '../../model/declared/scenario.ts';
import { SEEN_ENDS } from '../../model/declared/seen-ends.ts';
import { WORDS_OF_ENDS } from '../../model/declared/words-of-ends.ts';
import type { Killer } from '../../model/killers/killers.ts';
import { groupBy } from '../../model/text/group-by.ts';

type Entry = ExplainResult['entries'][number];
type End = Pick<Outcome, 'killer' | 'how' | 'reason' | 'exitCode' | 'then'>;

/** Scenarios that a line names for a killer. */
const MOST_NAMED = 3;

/** Words of kernel, runtime and kubelet, each with the killers that produce it, as the scenarios expect them. */
export function listWordsOfEnds(scenarios: readonly LoadedScenario[]): Entry[] {
  return Object.entries(WORDS_OF_ENDS).map(([name, { kind, says, source, produces }]) => ({
    kind,
    name,
    text: [says, ...listProducers(scenarios, produces)],
    source,
  }));
}

/** Adds to exit codes and reasons of containers which killers produce them. */
export function addProducers(entry: Entry, scenarios: readonly LoadedScenario[]): Entry {
  const { kind, name, text } = entry;
  const produces =
    kind === 'exit code of a container'
      ? ({ exitCode = [] }: End): boolean => exitCode.includes(Number(name))
      : kind === 'reason'
        ? ({ reason = [] }: End): boolean => (reason as readonly string[]).includes(name)
        : undefined;
  return produces === undefined
    ? entry
    : { ...entry, text: [...text, ...listProducers(scenarios, produces, SEEN_ENDS[name])] };
}

function listProducers(
  scenarios: readonly LoadedScenario[],
  produces: (end: End) => boolean,
  seen: readonly Killer[] = [],
): string[] {
  const found = scenarios.flatMap(({ scenario }) => {
    const { name, expect, variants } = scenario;
    const ends = [expect, ...variants.map((entry) => endOfEntry(expect, entry.expect))];
    return ends
      .filter((end) => end.killer !== 'none' && produces(end))
      .map(({ killer }) => ({ killer, name }));
  });
  const named = [...groupBy(found, ({ killer }) => killer)].map(([killer, own]) => {
    const names = [...new Set(own.map(({ name }) => name))];
    const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
    return `${killer} (${names.slice(0, MOST_NAMED).join(', ')}${more})`;
  });
  const expected =
    named.length > 0
      ? [`killers that produce it, as scenarios expect them: ${named.join('; ')}`]
      : seen.length > 0
        ? []
        : ['no scenario expects it, so no killer is known here to produce it'];
  return [
    ...(seen.length === 0 ? [] : [`killers that were seen to produce it: ${seen.join(', ')}`]),
    ...expected,
    'the table with every end that was seen: docs/measured/who-gets-killed.md; which cell shows it: npx whodunit list <scenario>',
  ];
}

/** The reason and the exit code of one death say nothing about another: see `outcomeOfEntry`. */
function endOfEntry(expect: Outcome, own: LoadedScenario['scenario']['variants'][number]['expect']): End {
  const killer = own.killer ?? expect.killer;
  return killer === expect.killer ? Object.assign({}, expect, own) : Object.assign({ killer }, own);
}
