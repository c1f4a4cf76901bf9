import { z } from 'zod';
import { RE2JS, RE2JSException } from 're2js';

/**
 * Regular expressions that a person writes into a file. RE2 answers in a time that grows only with the length of the
 * text, whatever the expression: `(a+)+$` hangs no check. It has no look-around and no back references.
 */

/** Expressions are few, and asked for every value. */
const compiled = new Map<string, RE2JS>();

/** Whether an expression fits a whole text. Throws RE2JSException for one that `isPattern` refuses. */
export function matchesPattern(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern);
  if (expression === undefined) compiled.set(pattern, (expression = RE2JS.compile(pattern)));
  return expression.matches(text);
}

/** Whether RE2 can read an expression. */
export function isPattern(pattern: string): boolean {
  try {
    matchesPattern(pattern, '');
    return true;
  } catch (error) {
    if (error instanceof RE2JSException) return false;
    throw error;
  }
}

/** Schema of such an expression. */
export const patternSchema = z
  .string()
  .min(1)
  .refine(isPattern, { error: 'a regular expression of RE2 (without look-around and back references)' });
