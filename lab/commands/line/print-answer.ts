import type { VerbAnswer } from '../context/answer.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { renderRows } from '../../report/terminal/render-rows.ts';

/** Prints the answer of a verb in the form that was asked for. */
export function printAnswer(
  context: Pick<Context, 'print' | 'printPage' | 'printTable' | 'printJson'>,
  { json, text, table, page, rows, afterwards }: VerbAnswer,
  flags: Flags,
): void {
  const isForPeople = text !== undefined || table !== undefined || page !== undefined;
  if (json !== undefined && (flags.json === true || !isForPeople)) context.printJson(json);
  else if (rows !== undefined && flags.output !== undefined) {
    const lines = renderRows(rows, flags.output);
    // The program that reads the names would take an empty line for one.
    if (lines !== '') context.print(lines);
  } else if (page !== undefined) context.printPage(page());
  else if (table !== undefined) context.printTable(table());
  else if (text !== undefined) context.print(text());
  afterwards?.();
}
