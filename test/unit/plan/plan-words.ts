import { UsageError } from '../../../lab/model/errors/errors.ts';
import type { Config } from '../../../lab/plan/config/parse-config.ts';
import { planCells } from '../../../lab/plan/cells/plan-cells.ts';

/** The message with which words are refused; empty when they are not. */
export function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return '';
}

/** Addresses of the cells that words select. */
export const addressesOf = (config: Config, words: readonly string[]): string[] =>
  planCells(config, words).cells.map((cell) => cell.address);
