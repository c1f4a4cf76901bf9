/** What one part of `npm test` found. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly { readonly name: string; readonly why: string }[];
  readonly repeated?: Counts['failures'];
  readonly tests?: readonly { readonly name: string; readonly seconds: number }[];
}

export function readTestReport(path: string, status: number, projectDir: string): Counts;

export function renderTestTotals(
  rows: readonly (Counts & { readonly name: string; readonly seconds: number })[],
): string;
