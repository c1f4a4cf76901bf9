import type { LineEnd } from './run-lines.ts';

/** Verbs that would start, build or change something, and those that take a flag to only say so. */
const NOT_RUN = ['shell', 'kubectl', 'logs', 'doctor', 'gc', 'bake', 'new', 'mcp', 'down', 'export'];
const PLANNED = ['up', 'run', 'repro', 'lock', 'prove', 'gate', 'bisect', 'difference'];

/** Where a command ends, and a sentence goes on. */
const ENDS = /, |; | for | says | lists | saves | shows | in a | when |`/;

/** Returns the commands in a text, as words; without those in which a person fills in a place. */
function commandsIn(text: string): string[][] {
  // The line of another folder: its project is the same as one that is named.
  const [, other] = /\bcd (\S+) && npx whodunit /.exec(text) ?? [];
  return [...text.matchAll(/npx whodunit (.*?)(?=,? or npx |, npx |$)/gm)].flatMap(([, rest = '']) => {
    const [line = ''] = rest.split(ENDS);
    const words = (line.replace('<axis>', 'cgroup').match(/'[^']*'|[^\s']+/g) ?? []).map((word) =>
      word.replaceAll("'", ''),
    );
    if (words.some((word) => word.includes('<'))) return [];
    // The name of the project is put before the verb.
    const [flag = '', folder = '', ...own] = words;
    if (flag === '--project') return [[...own, flag, folder]];
    return [other === undefined ? words : [...words, '--project', other]];
  });
}

/** Whether a line of an answer says what comes next, or what to try. */
export function isOffer(text: string): boolean {
  return /^(?: {2}try: |next: |next {2})/.test(text);
}

/** Returns the commands that an answer offers as what comes next, or as what to try. */
export function offersOf({ stdout, stderr }: Pick<LineEnd, 'stdout' | 'stderr'>): string[][] {
  return `${stdout}\n${stderr}`.split('\n').filter(isOffer).flatMap(commandsIn);
}

/** Returns a command as a test may run it, with --dry-run if it would start something; undefined if there is no such. */
export function withoutMachines(words: readonly string[]): readonly string[] | undefined {
  const [verb = ''] = words;
  if (NOT_RUN.includes(verb) && !words.includes('--dry-run')) return undefined;
  return PLANNED.includes(verb) && !words.includes('--dry-run') ? [...words, '--dry-run'] : words;
}
