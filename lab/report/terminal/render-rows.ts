import { textTable } from '../text/text-table.ts';

/** Rows of a list: objects as its JSON has them, and the field that names one. */
interface Rows {
  readonly list: readonly object[];
  readonly name: string;
}

/**
 * What `-o name` prints of a list: its names, a line each; and what `-o wide` prints: every field that fits into a
 * table.
 */
export function renderRows({ list, name }: Rows, output: string): string {
  if (output === 'name') return list.map((row) => toText(valueOf(row, name))).join('\n');
  const others = [...new Set(list.flatMap((row) => Object.keys(row)))].filter((field) => field !== name);
  const fields = [name, ...others.filter((field) => list.some((row) => toText(valueOf(row, field)) !== ''))];
  const rows = list.map((row) => fields.map((field) => toText(valueOf(row, field)) || '-'));
  return textTable([fields, ...rows]).join('\n');
}

function valueOf(row: object, field: string): unknown {
  return (row as Readonly<Record<string, unknown>>)[field];
}

/** A value in a table: lists with commas, the fields of an object as `field=value`; empty for what is deeper. */
function toText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return toWord(value);
  const inner = Object.entries(value);
  if (inner.some(([, one]) => typeof one === 'object' && one !== null)) return '';
  return inner.map(([key, one]) => `${Array.isArray(value) ? '' : `${key}=`}${toWord(one)}`).join(',');
}

function toWord(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
