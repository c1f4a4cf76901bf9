import { bugSchema } from '../../model/declared/bug.ts';
import { describeProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { parseOne } from '../../model/files/yaml-file.ts';
import type { MadeScenario } from '../../model/saved/case.ts';
import { checkBugs } from '../../plan/check/check-bugs.ts';
import type { Platform } from '../../plan/check/check-config.ts';
import { checkPlan } from '../../plan/check/check-plan.ts';
import { planCells } from '../../plan/cells/plan-cells.ts';
import { addressesOfBug } from '../../plan/bugs/bug-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { parseScenario } from '../../plan/config/parse-scenario.ts';

/** What is wrong with a scenario, and a bug if there is one, that are to be added to a configuration: the checks that `list` makes. */
export function checkMade(config: Config, platform: Platform, files: MadeScenario['files']): string[] {
  const { matrix, catalogue } = config;
  const problems: ConfigProblem[] = [];
  const bugFile = files.find(({ path }) => path.startsWith('bugs/'));
  const folder = files
    .find(({ path }) => path.endsWith('/scenario.yaml'))
    ?.path.replace('/scenario.yaml', '');
  if (folder === undefined) return ['it has no files'];
  const loaded = parseScenario(folder, files, { matrix, catalogue, platform }, problems);
  const bug = bugFile === undefined ? undefined : parseOne(bugFile, bugSchema, problems);
  if (loaded !== undefined && problems.length === 0) {
    const scenarios = [...config.scenarios, loaded];
    if (bugFile !== undefined && bug !== undefined) {
      const known = config.bugs.map((one) => [`bugs/${one.id}.yaml`, one] as const);
      const scenarioNames = scenarios.map(({ scenario }) => scenario.name);
      const bugs = new Map([...known, [bugFile.path, bug] as const]);
      problems.push(...checkBugs(bugs, { matrix, catalogue, scenarios, scenarioNames }));
    }
    if (problems.length === 0) {
      const whole = { ...config, scenarios, bugs: [...config.bugs, ...(bug === undefined ? [] : [bug])] };
      const words = bug === undefined ? [`scenario=${loaded.scenario.name}`] : addressesOfBug(bug, scenarios);
      const plan = planCells(whole, words);
      problems.push(...checkPlan(matrix, plan.cells, platform.findApi));
      const refused = plan.skipped.map(({ address, reason }) => `${address}: ${reason}`);
      if (refused.length > 0) return refused;
    }
  }
  return problems.map((problem) => `${problem.file}: ${describeProblem(problem)}`);
}
