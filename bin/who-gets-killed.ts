import { join } from 'node:path';
import { readDeath } from '../lab/commands/saved/read-death.ts';
import type { WayToDie } from '../lab/model/declared/ways-to-die.ts';
import type { Config } from '../lab/plan/config/parse-config.ts';
import { planWays } from './docs/plan-ways.ts';
import { renderDeaths } from '../lab/report/markdown/render-deaths.ts';
import { renderPlaces } from './docs/render-places.ts';
import type { RecordedDeath } from '../lab/report/words/recorded-death.ts';
import { CAPTURES_FOLDER, realCaptureNames } from '../test/fixtures/evidence/load-capture.ts';

/** The captures that a real cluster left, judged, each with a link for a page in `docs/measured/`. */
export function readCaptures({ matrix }: Pick<Config, 'matrix'>): RecordedDeath[] {
  return realCaptureNames().map((name) => ({
    ...readDeath(join(CAPTURES_FOLDER, name), matrix),
    link: `../../test/fixtures/evidence/${name}`,
  }));
}

/** Renders the blocks of docs/measured/who-gets-killed.md, by name. */
export function renderWhoGetsKilled(
  config: Config,
  ways: readonly WayToDie[],
): Readonly<Record<'ends' | 'not-run', string>> {
  const deaths = readCaptures(config);
  const recorded = deaths.map(({ record: { scenario, variant, expected } }) => {
    const { killer, how } = expected;
    return { scenario, variant, killer, how };
  });
  return { ends: renderDeaths(deaths), 'not-run': renderPlaces(planWays(config, ways, recorded)) };
}
