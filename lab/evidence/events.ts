import type { KubeEvent, Lost } from '../model/evidence/observation.ts';
import {
  ignoreCovered,
  numberOf,
  objectAt,
  baseOf,
  stringOf,
  timeOf,
  type EvidenceText,
  type OnCovered,
  type Where,
} from './lines.ts';
import { parseWatch, type WatchLine } from './watch-lines.ts';

/** Reads Kubernetes Events (core/v1 and events.k8s.io/v1 field names). */
export function parseEvents(
  content: EvidenceText,
  file: string,
  onCovered: OnCovered = ignoreCovered,
): (KubeEvent | Lost)[] {
  const toEvent = (line: WatchLine): KubeEvent | undefined =>
    line.type === 'DELETED' ? undefined : eventOf(line, file);
  return parseWatch(content, file, 'events', toEvent, onCovered);
}

/** What one Event says. */
export function eventOf(line: WatchLine, where: Where): KubeEvent {
  const { object } = line;
  const about =
    'involvedObject' in object ? objectAt(object, 'involvedObject') : objectAt(object, 'regarding');
  const series = objectAt(object, 'series');
  const firstAt =
    timeOf(object.firstTimestamp ?? object.deprecatedFirstTimestamp) ?? timeOf(object.eventTime);
  const lastAt =
    timeOf(object.lastTimestamp ?? object.deprecatedLastTimestamp) ??
    timeOf(series.lastObservedTime) ??
    timeOf(object.eventTime) ??
    firstAt;
  const reason = stringOf(object.reason) ?? '';
  const message = stringOf(object.message) ?? stringOf(object.note) ?? '';
  return {
    kind: 'kube-event',
    ...baseOf('event', lastAt ?? line.at, where, line.line, `${reason}: ${message}`),
    reason,
    type: stringOf(object.type) ?? '',
    component: componentOf(object),
    objectKind: stringOf(about.kind) ?? '',
    objectNamespace: stringOf(about.namespace) ?? '',
    objectName: stringOf(about.name) ?? '',
    objectUid: stringOf(about.uid) ?? '',
    fieldPath: stringOf(about.fieldPath),
    message,
    count: numberOf(object.count ?? object.deprecatedCount) ?? numberOf(series.count) ?? 1,
    firstAt,
    lastAt,
    deliveredAt: line.at,
    age: ageIn(objectAt(object, 'lastAge')),
  };
}

/** The age that a table of kubectl gives; an object of the API has none. */
function ageIn({ ms, grainMs }: Record<string, unknown>): KubeEvent['age'] {
  const [age, grain] = [numberOf(ms), numberOf(grainMs)];
  return age === undefined || grain === undefined ? undefined : { ms: age, grainMs: grain };
}

/** The component that wrote it. Each API has its own fields for it, and leaves those of the other API empty. */
function componentOf(object: Record<string, unknown>): string {
  const named = [
    objectAt(object, 'source').component,
    object.reportingComponent,
    object.reportingController,
    objectAt(object, 'deprecatedSource').component,
  ];
  return named.map(stringOf).find((name) => name !== undefined && name !== '') ?? '';
}
