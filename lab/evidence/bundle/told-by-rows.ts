import { largest } from '../../model/text/extremes.ts';
import { objectAt, stringOf } from '../lines.ts';
import type { ObjectEntry, RowEntry } from '../formats/entry.ts';
import type { CollectedFile, Kept } from './collected.ts';

/** A row that says how often containers of its pod ended. */
function isCounted(row: RowEntry): row is RowEntry & { readonly ends: number } {
  return row.ends !== undefined;
}

/** The rows of tables of pods and containers. */
export function rowsOf(files: readonly CollectedFile[]): RowEntry[] {
  return files.flatMap(({ kept }) => kept.flatMap(({ entry }) => (entry.kind === 'row' ? [entry] : [])));
}

/** Whether a file has nothing but rows of tables. */
export function isTable({ kept }: CollectedFile): boolean {
  return kept.length > 0 && kept.every(({ entry }) => entry.kind === 'row');
}

/**
 * Where tables are all that was given, what their rows tell of ends is all that is known. Beside any other record a row is only how often
 * something happened: it has no id and no time by which both could be told to be one.
 */
export function tellByRowsOnly(files: readonly CollectedFile[]): CollectedFile[] {
  if (!files.every(isTable)) return [...files];
  // What is printed again and again, as by `--watch`, is right in the end.
  const last = new Map(rowsOf(files).map((row) => [keyOf(row), row]));
  return files.map((file) => ({
    ...file,
    kept: file.kept.map((one): Kept => {
      const { entry } = one;
      const isLast = entry.kind === 'row' && last.get(keyOf(entry)) === entry;
      return isLast && entry.tells !== undefined ? { ...one, entry: entry.tells } : one;
    }),
  }));
}

function keyOf({ namespace, name, tells }: RowEntry): string {
  const id = tells?.kind === 'runtime' ? tells.containerId : '';
  return `${namespace ?? ''}/${name} ${id}`;
}

/**
 * Tells events of how often the containers of their pods ended, as tables of pods say: an event that was written less often may be
 * of another end than the last one. What is printed again and again, as by `--watch`, is right in the end.
 *
 * @param files whose events have the names of their pods, where anything tells them.
 */
export function tellEnds(files: readonly CollectedFile[]): CollectedFile[] {
  const rows = rowsOf(files).filter(isCounted);
  if (rows.length === 0) return [...files];
  const last = new Map(rows.map((row) => [`${row.namespace ?? ''}/${row.name}`, row]));
  const told = ({ object }: ObjectEntry): Record<string, unknown> => {
    const about = objectAt(object, 'involvedObject');
    const namespace = stringOf(about['namespace']);
    const own = [...last.values()].filter(
      (row) =>
        row.name === about['name'] &&
        (row.namespace === undefined || namespace === undefined || row.namespace === namespace),
    );
    return own.length === 0 ? object : { ...object, endsOfPod: largest(own.map(({ ends }) => ends)) };
  };
  return files.map((file) => ({
    ...file,
    kept: file.kept.map((one): Kept => {
      const { entry } = one;
      return entry.kind === 'object' && entry.what === 'event'
        ? { ...one, entry: { ...entry, object: told(entry) } }
        : one;
    }),
  }));
}
