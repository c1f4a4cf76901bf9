import { isObject, tryParseJson } from '../../model/files/parse-json.ts';
import { objectAt, stringOf } from '../lines.ts';

type Fields = Record<string, unknown>;

/**
 * What the answer of a collector of logs is made of, with the records as objects: those of Loki are pairs in streams, those of Azure rows
 * of a table, and CloudWatch packs a record into a text. Undefined for anything else.
 */
export function unpackExport(value: Fields): unknown {
  return ofLoki(value) ?? ofAzure(value) ?? ofCloudWatch(value) ?? ofAzureEvent(value);
}

/** `{stream: {unit, …}, values: [[nanoseconds, line], …]}` of Loki's API. */
function ofLoki({ stream, values }: Fields): Fields[] | undefined {
  if (!isObject(stream) || !Array.isArray(values)) return undefined;
  return (values as unknown[]).flatMap((pair) => {
    if (!Array.isArray(pair)) return [];
    const [timestamp, line] = pair as unknown[];
    return [{ labels: stream, ...stream, timestamp, line }];
  });
}

/** `{columns: [{name}], rows: [[…]]}` of Log Analytics. */
function ofAzure({ columns, rows }: Fields): Fields[] | undefined {
  if (!Array.isArray(columns) || !Array.isArray(rows)) return undefined;
  const names = (columns as unknown[]).map((column) =>
    isObject(column) ? (stringOf(column['name']) ?? '') : (stringOf(column) ?? ''),
  );
  return (rows as unknown[]).flatMap((row) =>
    Array.isArray(row)
      ? [Object.fromEntries((row as unknown[]).map((cell, index) => [names[index] ?? '', cell]))]
      : [],
  );
}

/** `{@timestamp, @message, @log}`: the message is a record as JSON, or the line itself. */
function ofCloudWatch(value: Fields): Fields | undefined {
  const given = value['@message'];
  if (given === undefined) return undefined;
  const record = isObject(given) ? given : tryParseJson(stringOf(given) ?? '');
  // The group and the stream tell what a container printed.
  const beside = { ...value, '@message': undefined };
  if (isObject(record)) return { ...beside, ...record };
  return { ...beside, _raw: given, _time: isoOf(value['@timestamp']) };
}

function isoOf(time: unknown): unknown {
  return stringOf(time)?.replace(/^(\d{4}-\d\d-\d\d) ([\d:.]+)$/, '$1T$2Z');
}

/** A row of KubeEvents of Container Insights, as the API has it. */
function ofAzureEvent(value: Fields): Fields | undefined {
  const { ObjectKind: kind, Reason: reason, Message: message, Name: name } = value;
  if (typeof kind !== 'string' || typeof reason !== 'string' || typeof message !== 'string') return undefined;
  const source = objectAt(value, 'source');
  return {
    kind: 'Event',
    metadata: {},
    involvedObject: { kind, name, namespace: value['Namespace'] },
    reason,
    message,
    type: value['KubeEventType'],
    count: value['Count'],
    source: { component: value['SourceComponent'] ?? source['component'], host: value['Computer'] },
    firstTimestamp: value['FirstSeen'],
    lastTimestamp: value['LastSeen'] ?? value['TimeGenerated'],
  };
}
