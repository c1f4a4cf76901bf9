import type { Covered, KubeEvent, Lost } from '../model/observation.ts';
import { numberOf, objectAt, baseOf, stringOf, timeOf, type EvidenceText } from './lines.ts';
import { readWatchLines, type WatchLine } from './watch-lines.ts';

/** Reads Kubernetes Events (core/v1 and events.k8s.io/v1 field names). */
export function parseEvents(content: EvidenceText, file: string): (KubeEvent | Covered | Lost)[] {
  const observations: (KubeEvent | Covered | Lost)[] = [];
  for (const line of readWatchLines(content, file, 'events', (lost) => observations.push(lost))) {
    if (line.type !== 'DELETED') observations.push(eventOf(line, file));
  }
  return observations;
}

function eventOf(line: WatchLine, file: string): KubeEvent {
  const { object } = line;
  const about =
    'involvedObject' in object ? objectAt(object, 'involvedObject') : objectAt(object, 'regarding');
  const at =
    timeOf(object.lastTimestamp) ??
    timeOf(objectAt(object, 'series').lastObservedTime) ??
    timeOf(object.eventTime) ??
    timeOf(object.firstTimestamp) ??
    line.at;
  const reason = stringOf(object.reason) ?? '';
  const message = stringOf(object.message) ?? stringOf(object.note) ?? '';
  return {
    kind: 'kube-event',
    ...baseOf('event', at, file, line.line, `${reason}: ${message}`),
    reason,
    type: stringOf(object.type) ?? '',
    component: stringOf(objectAt(object, 'source').component) ?? stringOf(object.reportingComponent) ?? '',
    objectKind: stringOf(about.kind) ?? '',
    objectName: stringOf(about.name) ?? '',
    objectUid: stringOf(about.uid) ?? '',
    fieldPath: stringOf(about.fieldPath),
    message,
    count: numberOf(object.count) ?? numberOf(objectAt(object, 'series').count) ?? 1,
    firstAt: timeOf(object.firstTimestamp) ?? timeOf(object.eventTime),
    deliveredAt: line.at,
  };
}
