/** What the API said of the victim, in the words of a saved claim: written by a verdict, read where ends are compared. */
export interface ApiSaid {
  /** `OOMKilled`; undefined: the API gave no reason. */
  readonly reason?: string | undefined;
  readonly exitCode?: number | undefined;
}

/** A container that the API did not see end, or only as one that runs again. */
export interface ApiSaidNoEnd extends ApiSaid {
  readonly state: string;
  readonly restartCount: number;
}

const NO_REASON = 'no reason';

/** An end: `OOMKilled, exit 137`. */
export function describeToldEnd({ reason, exitCode }: ApiSaid & { readonly exitCode: number }): string {
  return `${reason ?? NO_REASON}, exit ${exitCode}`;
}

/** Anything else: `terminated (Error), exit 1, 3 restarts`. */
export function describeNoToldEnd({ state, reason, exitCode, restartCount }: ApiSaidNoEnd): string {
  const because = reason === undefined ? '' : ` (${reason})`;
  const exit = exitCode === undefined ? '' : `, exit ${exitCode}`;
  return `${state}${because}${exit}, ${restartCount} restarts`;
}

const FORMS = [
  /^(?<reason>.+), exit (?<exit>-?\d+)$/,
  /^\w+ \((?<reason>.+)\), exit (?<exit>-?\d+), \d+ restarts$/,
  /^\w+ \((?<reason>.+)\), \d+ restarts$/,
];

/** Reads what the two functions above wrote. Undefined: it says neither a reason nor an exit code. */
export function readApiClaim(says: string): ApiSaid | undefined {
  const groups = FORMS.map((form) => form.exec(says)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return undefined;
  return {
    reason: groups.reason === NO_REASON ? undefined : groups.reason,
    exitCode: groups.exit === undefined ? undefined : Number(groups.exit),
  };
}
