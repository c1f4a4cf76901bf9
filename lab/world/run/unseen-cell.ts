import type { DeclaredStartFailure } from '../../model/errors/errors.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { BugResult } from '../../model/declared/ledger.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { runPaths } from '../../model/host/paths.ts';
import type { PlannedCell, SkippedCell } from '../../plan/cells/plan-cells.ts';

/** The result of a cell that a rule refuses: nothing was expected and nothing looked at. */
export function skippedResult(cell: SkippedCell): CellResult {
  return {
    address: cell.address,
    variant: { ...cell.variant },
    scenario: cell.scenario,
    ...parametersField(cell.parameters),
    ...nothingSeen('skipped', ''),
    note: `${cell.rule}: ${cell.reason} (${cell.source})`,
  };
}

/** The result of a cell whose world did what it is declared to do: start no pods. It holds the line that shows it. */
export function declaredResult(cell: PlannedCell, failure: DeclaredStartFailure): CellResult {
  const { rule, reason, source, text, seen } = failure;
  const isExpected = cell.startFailure === rule;
  return {
    address: cell.address,
    variant: { ...cell.variant },
    scenario: cell.loaded.scenario.name,
    ...parametersField(cell.loaded.parameters),
    ...nothingSeen('skipped', ''),
    expected: { ...cell.outcome },
    ...bugField(cell, isExpected ? 'shows' : 'open'),
    note: `${rule}: ${reason} (${source}); seen: ${seen}`,
    startFailure: { id: rule, expected: isExpected, text, seen },
  };
}

/** The result of a cell that should have been observed and was not; the note says why. */
export function unseenResult(
  runDir: string,
  cell: PlannedCell,
  verdict: 'inconclusive' | 'interrupted',
  note: string,
): CellResult {
  const { scenario } = cell.loaded;
  return {
    address: cell.address,
    variant: { ...cell.variant },
    scenario: scenario.name,
    ...parametersField(cell.loaded.parameters),
    ...nothingSeen(verdict, scenario.victim.container),
    expected: { ...cell.outcome },
    ...bugField(cell, 'open'),
    evidence: runPaths(runDir).cellRelative(cell.address),
    note,
  };
}

function bugField({ bug }: PlannedCell, state: BugResult['state']): Pick<CellResult, 'bug'> {
  return bug === undefined ? {} : { bug: { id: bug.id, state } };
}

function nothingSeen(verdict: CellResult['verdict'], victim: string) {
  return {
    verdict,
    expected: {},
    attribution: { killer: 'unknown' as const, victim, confidence: 'none' as const, because: [] },
    claims: [],
    mismatches: [],
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
    evidence: '',
  };
}
