import { UsageError } from '../../model/errors/errors.ts';

/** How many lanes each world is to have; `auto`: as the host admits, and as far as they save time. */
export type AskedLanes = number | 'auto';

/** More than any host runs at once. */
const MAX_LANES = 99;

/**
 * Reads the value of `--lanes`.
 *
 * @throws UsageError
 */
export function parseLanes(text: string): AskedLanes {
  if (text === 'auto') return text;
  const lanes = /^[1-9]\d?$/.test(text) ? Number(text) : undefined;
  if (lanes !== undefined) return lanes;
  throw new UsageError(`--lanes takes auto, or a whole number from 1 to ${MAX_LANES}; "${text}" is neither`, {
    tryNext: 'npx whodunit help run',
  });
}
