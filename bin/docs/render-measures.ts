import type { MeasureRow } from '../../lab/model/measures/measure-row.ts';
import { MEASURE_TABLE } from '../../lab/model/measures/measure-table.ts';
import { inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';

const FROM = {
  sampler: 'a sampler prints it',
  witness: 'the witness',
  events: 'the kubelet, in events',
  registry: 'the registry',
  pods: 'the API, in pods',
  nodes: 'the API, in nodes',
  heartbeat: 'the host, which connects once a second',
} as const;

/** Renders the table of measures for docs/writing-a-scenario.md. */
export function renderMeasures(): string {
  return [
    ...markdownHead(['measure', 'unit', 'of', 'what it is', 'told by', 'sane']),
    ...Object.entries<MeasureRow>(MEASURE_TABLE).map(([name, { unit, of, means, from, least, most }]) => {
      return markdownRow([
        inlineCode(name),
        unit === '' ? '-' : unit,
        `the ${of}`,
        means,
        FROM[from],
        `${least} to ${most}`,
      ]);
    }),
  ].join('\n');
}
