import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { effectiveSchema } from '../../../../lab/model/saved/effective.ts';
import { runResultSchema, type CellResult } from '../../../../lab/model/saved/formats.ts';
import { eventSchema } from '../../../../lab/model/saved/run-event.ts';
import type { RecordedRun } from '../../../../lab/report/words/recorded-run.ts';

/** A passed cell as a run saves it; `variant` is the canonical name of a variant that differs in one axis. */
export function cell(variant: string, scenario: string, changes: Partial<CellResult> = {}): CellResult {
  return {
    address: `${variant}/${scenario}`,
    variant: { ...DEFAULT_VARIANT, ...(variant === 'v1' ? { cgroup: 'v1' } : {}) },
    scenario,
    verdict: 'passed',
    expected: { killer: 'memcg-oom', level: ['container', 'pod'] },
    attribution: {
      killer: 'memcg-oom',
      level: 'pod',
      how: 'group-kill',
      process: 'init',
      victim: 'p/c',
      confidence: 'proven',
      because: [],
    },
    claims: [],
    mismatches: [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 8_400 },
    evidence: `cells/${variant}/${scenario}`,
    ...changes,
  };
}

/** A run whose world `default` was built in 3m 20s, and read back. */
export function run(id: string, date: string, cells: readonly CellResult[]): RecordedRun {
  const totals = { passed: 0, failed: 0, inconclusive: 0, skipped: 0, interrupted: 0 };
  const result = {
    formatVersion: 1,
    run: id,
    startedAt: `${date}T00:00:00.000Z`,
    host: {},
    accelerator: 'tcg',
    totals,
    cells,
  };
  const events = [
    { at: '2025-01-01T00:00:00.000Z', event: 'world-started', world: 'default' },
    { at: '2025-01-01T00:03:20.000Z', event: 'world-ready', world: 'default', detail: 'built' },
  ];
  const versions = {
    kernel: '6.1.0-9',
    systemd: '252',
    kubelet: '1.34.2',
    containerd: '1.6.20',
    runc: '1.1.5',
  };
  const effective = effectiveSchema.parse({
    formatVersion: 1,
    versions,
    nodes: [],
    healed: 'by the runtime',
  });
  return {
    result: runResultSchema.parse(result),
    events: events.map((event) => eventSchema.parse(event)),
    effective: new Map([['default/oom', effective]]),
  };
}

/** The rows of the Markdown table whose head has these words, each as its fields. */
export function tableOf(text: string, head: string): string[][] {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith('|') && line.includes(head));
  if (at < 0) return [];
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
  return lines.slice(at + 2, end < 0 ? undefined : end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((field) => field.trim()),
  );
}
