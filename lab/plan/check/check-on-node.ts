import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { OUTCOME_FIELDS } from '../../model/declared/outcome-fields.ts';
import { namesOf } from '../../model/text/names-of.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';

/** What only the API says of a victim, or of others. */
const SAID_BY_API = namesOf(OUTCOME_FIELDS).filter((field) => !OUTCOME_FIELDS[field].onNode);
/** What is done without the API. */
const BY_NODE = ['node-command', 'write-static-pod'];

/** Checks that nothing of a scenario needs the API where that goes down with the victim, and is not asked. */
export function checkOnNode({ scenario, folder }: LoadedScenario): ConfigProblem[] {
  const { victim, expect, variants, stimulus } = scenario;
  if (victim.onNode === undefined) return [];
  const file = `${folder}/scenario.yaml`;
  const outcomes = [
    { path: 'expect', outcome: expect },
    ...variants.map((entry, index) => ({ path: `variants.${index}.expect`, outcome: entry.expect })),
  ];
  return [
    ...outcomes.flatMap(({ path, outcome }) =>
      SAID_BY_API.filter((field) => outcome[field] !== undefined).map((field) =>
        configProblem(file, `${path}.${field}`, 'nothing that only the API says (`victim.onNode`)', field),
      ),
    ),
    ...stimulus.flatMap(({ kind }, index) =>
      BY_NODE.includes(kind)
        ? []
        : [
            configProblem(
              file,
              `stimulus.${index}.kind`,
              `one of ${BY_NODE.join(', ')} (\`victim.onNode\`)`,
              kind,
            ),
          ],
    ),
  ];
}
