import { renderEnvironment } from './render-environment.ts';
import { renderErrors } from './render-errors.ts';
import { renderEvents } from './render-events.ts';
import { renderEvidenceTable } from './render-evidence.ts';
import { renderHypotheses } from './render-hypotheses.ts';
import { renderHows, renderKillers } from './render-killers.ts';
import { renderMeasures } from './render-measures.ts';
import { renderStimuli } from './render-stimuli.ts';
import { renderTestsElsewhere, renderTestsOfMany } from './render-tests.ts';
import { renderCountLimits, renderScenarioTimes, renderTimeLimits } from './render-time-limits.ts';

/** A part of a page that is generated from a table in the code. */
export interface DocBlock {
  /** The page, below `docs/`. */
  readonly page: string;
  /** Name of the block in the page. */
  readonly name: string;
  /** Its Markdown, before prettier formats it. */
  readonly render: () => string;
}

/** All parts of pages that are generated from tables in the code. */
export const DOC_BLOCKS: readonly DocBlock[] = [
  { page: 'environment.md', name: 'environment', render: renderEnvironment },
  { page: 'errors.md', name: 'errors', render: renderErrors },
  { page: 'map.md', name: 'tests-elsewhere', render: renderTestsElsewhere },
  { page: 'map.md', name: 'tests-of-many', render: renderTestsOfMany },
  { page: 'run-folder.md', name: 'evidence', render: renderEvidenceTable },
  { page: 'run-folder.md', name: 'events', render: renderEvents },
  { page: 'time-limits.md', name: 'scenario-times', render: renderScenarioTimes },
  { page: 'time-limits.md', name: 'time-limits', render: renderTimeLimits },
  { page: 'time-limits.md', name: 'count-limits', render: renderCountLimits },
  { page: 'verdicts.md', name: 'killers', render: renderKillers },
  { page: 'verdicts.md', name: 'hows', render: renderHows },
  { page: 'verdicts.md', name: 'hypotheses', render: renderHypotheses },
  { page: 'writing-a-scenario.md', name: 'stimuli', render: renderStimuli },
  { page: 'writing-a-scenario.md', name: 'measures', render: renderMeasures },
];
