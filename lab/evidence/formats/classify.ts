import { bareKernel, earlyoomLog } from './bare-lines.ts';
import { cgroupFile, mounts, procStat, vmstat } from './counters.ts';
import { crictlPs, dockerPs } from './container-tables.ts';
import { csv } from './csv.ts';
import { dockerEvents } from './docker-events.ts';
import { json, jsonPart, yaml, yamlPart } from './documents.ts';
import type { Format } from './format.ts';
import { goValues } from './go-values.ts';
import { journalExport } from './journal-export.ts';
import { journalVerbose } from './journal-verbose.ts';
import { dmesg, dmesgCtime, dmesgIso, dmesgJson, dmesgMinutes, kmsg, talosDmesg } from './kernel-logs.ts';
import { kubeletMetrics } from './kubelet-metrics.ts';
import { kubectlDescribe } from './kubectl-describe.ts';
import { kubectlEvents } from './kubectl-events.ts';
import { kubectlPods, podColumns } from './kubectl-pods.ts';
import { ctrEvents, journalMonotonic, journalText, klog, logfmt, syslog } from './system-logs.ts';

/** Every format. Where two fit equally, the first one counts. */
const FORMATS: readonly Format[] = [
  kmsg,
  journalMonotonic,
  dmesg,
  dmesgCtime,
  dmesgIso,
  dmesgMinutes,
  dmesgJson,
  talosDmesg,
  journalExport,
  journalVerbose,
  journalText,
  syslog,
  klog,
  logfmt,
  bareKernel,
  earlyoomLog,
  ctrEvents,
  dockerEvents,
  cgroupFile,
  vmstat,
  procStat,
  mounts,
  kubeletMetrics,
  kubectlEvents,
  kubectlPods,
  podColumns,
  dockerPs,
  crictlPs,
  goValues,
  kubectlDescribe,
  csv,
  json,
  yaml,
  jsonPart,
  yamlPart,
];

/** Formats that may begin in the midst of a text, in the order in which they are tried. */
export const BEGINNING: readonly (Format & { readonly begins: (text: string) => boolean })[] = FORMATS.filter(
  (format): format is Format & { readonly begins: (text: string) => boolean } => format.begins !== undefined,
);

/** So many lines of a file tell its format. */
export const HEAD_LINES = 200;
/** Less than this part of the lines is chance: a text that quotes a log. */
const LEAST = 0.4;

/** The format of a file and how well its first lines fit; undefined when none does. */
export interface Classified {
  readonly format: Format;
  readonly score: number;
}

/** Tells the format of a file by its first lines. The path counts only for files of cgroups. */
export function classify(lines: readonly string[], path: string): Classified | undefined {
  let best: Classified | undefined;
  for (const format of FORMATS) {
    const score = format.classify(lines, path);
    if (score >= LEAST && score > (best?.score ?? 0)) best = { format, score };
  }
  return best;
}
