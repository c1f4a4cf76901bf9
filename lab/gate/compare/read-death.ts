import { readApiClaim } from '../../model/saved/api-claim.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { GatedDeath } from '../../model/saved/gate.ts';

/** How a cell ended, from its attribution and the claim of the API. */
export function readDeathOf({ attribution, claims }: Pick<CellResult, 'attribution' | 'claims'>): GatedDeath {
  const { killer, level } = attribution;
  const said = claims.find(({ layer }) => layer === 'api')?.says ?? '';
  // A container that survives has no end: what the API says of it is how it runs.
  const found = killer === 'none' ? undefined : readApiClaim(said);
  const death: GatedDeath = { killer };
  if (level !== undefined) death.level = level;
  if (found?.reason !== undefined) death.reason = found.reason;
  if (found?.exitCode !== undefined) death.exitCode = found.exitCode;
  return death;
}

/** Two deaths with the same key are the same. */
export function keyOfDeath({ killer, level, reason, exitCode }: GatedDeath): string {
  return JSON.stringify([killer, level, reason, exitCode]);
}

/** Words for those that nobody ended. */
const NOBODY: Partial<Record<GatedDeath['killer'], string>> = { none: 'survived', unknown: 'never started' };

/**
 * A death in words: `memcg-oom at pod level, OOMKilled, exit 137`. Where only a child died, the API has no end:
 * `memcg-oom at pod level, no end in the API`.
 */
export function describeDeath({ killer, level, reason, exitCode }: GatedDeath): string {
  const nobody = NOBODY[killer];
  const who = `${nobody ?? killer}${level === undefined ? '' : ` at ${level} level`}`;
  const end = [reason, exitCode === undefined ? undefined : `exit ${exitCode}`].filter(
    (part) => part !== undefined,
  );
  if (nobody === undefined && end.length === 0) end.push('no end in the API');
  return [who, ...end].join(', ');
}

/** What differs between two deaths, of each side: `OOMKilled` and `Error` where only the reason does. */
export function describeTurn(
  from: GatedDeath,
  to: GatedDeath,
): { readonly from: string; readonly to: string } {
  const isReasonOnly = keyOfDeath({ ...from, reason: to.reason }) === keyOfDeath(to);
  if (isReasonOnly) return { from: from.reason ?? 'no reason', to: to.reason ?? 'no reason' };
  const isExitOnly = keyOfDeath({ ...from, exitCode: to.exitCode }) === keyOfDeath(to);
  if (isExitOnly) return { from: describeExit(from), to: describeExit(to) };
  return { from: describeDeath(from), to: describeDeath(to) };
}

function describeExit({ exitCode }: GatedDeath): string {
  return exitCode === undefined ? 'no exit code' : `exit ${exitCode}`;
}
