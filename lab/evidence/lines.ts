import type { EvidenceRef } from '../model/formats.ts';
import type { EvidenceSource, Lost } from '../model/observation.ts';

/** One line of an evidence file; `number` counts from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** Longest text kept in a reference; the file has the rest. An OOM summary with two full cgroup paths fits. */
const MAX_TEXT = 1000;

/** Splits a file into its non-empty lines. `cut` tells that the file does not end with a line break. */
export function splitLines(content: string): { lines: Line[]; cut: boolean } {
  const lines = content
    .split('\n')
    .map((text, index) => ({ number: index + 1, text: text.replace(/\r$/, '') }))
    .filter((line) => line.text !== '');
  return { lines, cut: content !== '' && !content.endsWith('\n') };
}

/** Parses one line as a JSON object; undefined when it is anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // broken lines are reported as lost evidence by the caller
  }
}

/** Whether a value is a JSON object (no array, no null). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object, empty when it is none: for walking into optional parts of an API object. */
export function objectAt(value: unknown, ...path: readonly string[]): Record<string, unknown> {
  let current: unknown = value;
  for (const name of path) current = isObject(current) ? current[name] : undefined;
  return isObject(current) ? current : {};
}

/** The value as a string, undefined when it is none. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as a finite number, undefined when it is none. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** ISO 8601 text as milliseconds since the epoch, undefined when it is no date. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? time : undefined;
}

/** Builds a pointer into an evidence file. `at` is in milliseconds since the epoch. */
export function refOf(
  source: string,
  at: number | undefined,
  file: string,
  line: number | undefined,
  text: string,
): EvidenceRef {
  return {
    source,
    at: isoOf(at),
    file,
    ...(line === undefined ? {} : { line }),
    text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text,
  };
}

/** Builds the observation that evidence is missing. `refSource` is narrower than the file: `trace` or `cgroup`. */
export function lostOf(
  source: EvidenceSource,
  why: string,
  file: string,
  at?: number,
  line?: number,
  refSource: string = source,
): Lost {
  return { kind: 'lost', source, why, at, ref: refOf(refSource, at, file, line, why) };
}

/** Milliseconds as ISO 8601 UTC; empty when unknown or not representable. */
export function isoOf(at: number | undefined): string {
  return at === undefined || !Number.isFinite(at) || Math.abs(at) > 8.64e15 ? '' : new Date(at).toISOString();
}
