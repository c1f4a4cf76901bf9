import { scenarioPart } from '../../lab/model/host/cell-address.ts';
import { groupBy } from '../../lab/model/text/group-by.ts';
import type { Place, WayPlaces } from '../../lab/model/declared/ways-to-die.ts';
import { escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';
import { worldOf } from '../../lab/report/words/recorded-run.ts';

/**
 * Renders for each way to die where it was recorded and where not, with the addresses that stage it there. An address
 * is
 * `<world>/<scenario>`; of the first scenario of a way only the worlds are printed.
 */
export function renderPlaces(ways: readonly WayPlaces[]): string {
  const axes = [...new Set(ways.flatMap(({ places }) => places.map(({ axis }) => axis)))];
  const columns = ['#', 'way to die', 'recorded on', 'scenario', ...axes.map((axis) => `not run: ${axis}`)];
  return [
    ...markdownHead(columns, [0]),
    ...ways.map(({ way, places }) => {
      const scenario = places.map(({ address }) => address && scenarioPart(address)).find(Boolean);
      return markdownRow([
        String(way.row),
        escapeMarkdown(way.name),
        describeRecorded(places),
        scenario === undefined ? '-' : inlineCode(scenario),
        ...axes.map((axis) =>
          describeMissing(
            places.filter((place) => place.axis === axis),
            scenario,
          ),
        ),
      ]);
    }),
  ].join('\n');
}

/** `cgroup v2, v1; kubernetes 1.34`. */
function describeRecorded(places: readonly Place[]): string {
  const recorded = places.filter(({ isRecorded }) => isRecorded);
  const groups = groupBy(recorded, ({ axis }) => axis);
  const texts = [...groups].map(([axis, all]) => `${axis} ${all.map(({ value }) => value).join(', ')}`);
  return texts.length === 0 ? '**nowhere**' : texts.join('; ');
}

/** The addresses, then the values that rules refuse. */
function describeMissing(places: readonly Place[], scenario: string | undefined): string {
  const missing = places.filter(({ isRecorded }) => !isRecorded);
  const addresses = missing.flatMap(({ address }) => (address === undefined ? [] : [address]));
  const words = addresses.map((address) =>
    inlineCode(scenarioPart(address) === scenario ? worldOf({ address }) : address),
  );
  const refused = missing.flatMap(({ value, refusedBy }) =>
    refusedBy === undefined ? [] : [`${value}: no, ${inlineCode(refusedBy)}`],
  );
  return [...new Set(words), ...refused].join(', ') || '-';
}
