import type { CellResult } from '../../model/saved/formats.ts';
import type { GatedDeath } from '../../model/saved/gate.ts';

/** What the API says of an end: `OOMKilled, exit 137`; of an end that it has not seen as one: `terminated (Error), exit 1, …`. */
const API_SAYS = [
  /^(?<reason>.+), exit (?<exit>-?\d+)$/,
  /^\w+ \((?<reason>.+)\), exit (?<exit>-?\d+), \d+ restarts$/,
  /^\w+ \((?<reason>.+)\), \d+ restarts$/,
];

/** How a cell ended, from its attribution and the claim of the API. */
export function readDeathOf({ attribution, claims }: Pick<CellResult, 'attribution' | 'claims'>): GatedDeath {
  const { killer, level } = attribution;
  const said = claims.find(({ layer }) => layer === 'api')?.says ?? '';
  // A container that survives has no end: what the API says of it is how it runs.
  const found =
    killer === 'none'
      ? undefined
      : API_SAYS.map((pattern) => pattern.exec(said)?.groups).find((groups) => groups !== undefined);
  const death: GatedDeath = { killer };
  if (level !== undefined) death.level = level;
  if (found?.reason !== undefined && found.reason !== 'no reason') death.reason = found.reason;
  if (found?.exit !== undefined) death.exitCode = Number(found.exit);
  return death;
}

/** Two deaths with the same key are the same. */
export function keyOfDeath({ killer, level, reason, exitCode }: GatedDeath): string {
  return JSON.stringify([killer, level, reason, exitCode]);
}

/** A death in words: `memcg-oom at pod level, OOMKilled, exit 137`. */
export function describeDeath({ killer, level, reason, exitCode }: GatedDeath): string {
  return [
    `${killer === 'none' ? 'survived' : killer}${level === undefined ? '' : ` at ${level} level`}`,
    reason,
    exitCode === undefined ? undefined : `exit ${exitCode}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
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
