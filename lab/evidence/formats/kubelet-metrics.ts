import type { Line } from '../lines.ts';
import type { Entry } from './entry.ts';
import { shareOf, type Format } from './format.ts';

/** A sample as Prometheus has it (text-based exposition format 0.0.4), with a time in milliseconds or without one. */
const SAMPLE =
  /^[a-zA-Z_:][\w:]{0,200}(?:\{(?<labels>.*)\})? (?<value>[\d.eE+-]+|NaN|[+-]Inf)(?: \d{1,15})?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
/** Names that cAdvisor gives. */
const OF_CADVISOR = /^(?:# (?:HELP|TYPE) )?(?:container|cadvisor)_/;
const OOM_EVENTS = 'container_oom_events_total';

/**
 * `/metrics/cadvisor` of a kubelet. Only its count of OOM events is read. The kubelet takes it from the kernel log, for the
 * cgroup whose limit was hit, and forgets it with that cgroup.
 */
export const kubeletMetrics: Format = {
  name: 'kubelet metrics',
  classify: (lines) =>
    lines.some((text) => OF_CADVISOR.test(text))
      ? shareOf(lines, (text) => text.startsWith('#') || SAMPLE.test(text))
      : 0,
  createReader: () => ({
    line: (line) => {
      if (!line.text.startsWith(OOM_EVENTS))
        return line.text.startsWith('#') || SAMPLE.test(line.text) ? [] : 'unread';
      const entry = readOomEvents(line);
      return entry === undefined ? 'unread' : [entry];
    },
    end: () => [],
  }),
};

/** The pod that a sample is about, by its labels. */
export function podOfSample(text: string): { readonly namespace: string; readonly name: string } | undefined {
  const { namespace = '', pod = '' } = labelsOf(text);
  return namespace === '' || pod === '' ? undefined : { namespace, name: pod };
}

/** Whether a line is a sample of the count of OOM events. */
export function isOomSample(text: string): boolean {
  return text.startsWith(`${OOM_EVENTS}{`);
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));
}

function readOomEvents({ number, text }: Line): Entry | undefined {
  const { labels = '', value = '' } = SAMPLE.exec(text)?.groups ?? {};
  const { id, namespace = '', pod = '', container = '' } = labelsOf(labels);
  const count = Number(value);
  if (id === undefined || !Number.isInteger(count) || count < 0) return undefined;
  return { kind: 'oom-count', line: number, cgroup: id, namespace, pod, container, count };
}
