import { readDeclaration } from '../../drivers/project/project-files.ts';
import { ConfigError, configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import type { Replay } from '../../model/saved/replay.ts';
import { placeProblems, type ConfigFile } from '../../model/files/yaml-file.ts';
import type { AskedCell, BugQuestion } from '../../plan/cells/ask-bug.ts';
import { checkReplayNames, compareOrigins, parseReplay } from '../../plan/config/check-replay.ts';
import { getBug } from '../../plan/bugs/find-bug.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import { planOrigin } from '../../world/run/plan-origin.ts';
import { rememberLookUps } from '../../world/run/save-origins.ts';
import { planWords } from '../setup/config.ts';
import type { Context } from '../context/context.ts';
import { spellPath } from '../context/spell-path.ts';

/** A replay of thousands of cells has the programs of each. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A run that is to be repeated. */
export interface ReplayedRun {
  readonly plan: Plan;
  /** The question about a bug; undefined when the run had none. */
  readonly question: BugQuestion | undefined;
}

/**
 * Reads a `replay.yaml`, and checks that this project and its cache would repeat the run exactly.
 *
 * @throws ConfigError with everything that is missing or differs: scenarios, the bug, components, worlds, digests.
 */
export async function readReplay(context: Context, config: Config, path: string): Promise<ReplayedRun> {
  const file = spellPath(path);
  const problems: ConfigProblem[] = [];
  const missing: ConfigFile = { path: file, text: '', unreadable: 'nothing' };
  const declared = readDeclaration(path, file, { maxBytes: MAX_BYTES }) ?? missing;
  const replay = parseReplay(declared, problems);
  if (replay === undefined) throw refuse(declared, problems, TRY_FILE);
  const gone = checkReplayNames(file, replay, config);
  // Cells of scenarios that are gone cannot be planned.
  if (gone.length > 0) throw refuse(declared, gone);
  const cells = new Map(
    replay.cells.map(({ address, expected, repeat, startFailure }): [string, AskedCell] => [
      address,
      { outcome: expected, repeat, ...(startFailure === undefined ? {} : { startFailure }) },
    ]),
  );
  const plan = planWords(context, config, [...cells.keys()], {}, { asked: cells, areAddresses: true });
  const source = { host: context, matrix: config.matrix, catalogue: config.catalogue };
  const lookUp = rememberLookUps(source);
  const planned = new Map(plan.cells.map((cell) => [cell.address, cell]));
  const rules = new Map(plan.skipped.map((cell) => [cell.address, cell.rule]));
  for (const [index, { address, origin }] of replay.cells.entries()) {
    const cell = planned.get(address);
    if (cell === undefined) {
      const received = `${address} (${rules.get(address) ?? 'unknown'})`;
      problems.push(configProblem(file, `cells.${index}`, 'a cell that no rule refuses', received));
      continue;
    }
    const now = await planOrigin(source, cell, lookUp);
    for (const problem of compareOrigins(file, index, origin, now)) problems.push(problem);
  }
  if (problems.length > 0) throw refuse(declared, problems);
  return { plan, question: questionOf(replay, config, cells) };
}

function questionOf(
  { asked }: Replay,
  { bugs }: Config,
  cells: ReadonlyMap<string, AskedCell>,
): BugQuestion | undefined {
  if (asked === undefined) return undefined;
  const bug = getBug(bugs, asked.bug);
  const { digest, overrides, repeat, addresses, affected, fixed } = asked;
  return { digest, bug: { ...bug, affected, fixed }, overrides, repeat, addresses, cells };
}

/** Where the file itself is wrong, no version of the project helps. */
const TRY_FILE =
  'name the replay.yaml of an archive of `npx whodunit export`, unpacked again if it was changed; a bug is named by its id: `npx whodunit bugs`';
/** Where the project has something else than the run that is to be repeated. */
const TRY_PROJECT =
  'check out the version of the project that wrote it, and run `npx whodunit bake` for its variants';

function refuse(
  file: ConfigFile,
  problems: readonly ConfigProblem[],
  tryNext: string = TRY_PROJECT,
): ConfigError {
  return new ConfigError(placeProblems(problems, [file]), { what: 'what is to be repeated', tryNext });
}
