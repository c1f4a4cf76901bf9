import type { GoModule } from '../../lab/model/components/bill.ts';

/**
 * Reads the modules of Go programs from what `go version -m <file…>` prints, by the path of the program. A program that
 * no Go has built is not in it.
 *
 * A line `=>` says what the module before it was replaced by: that is what was built. One that was replaced by a folder
 * has no version there, and keeps its own.
 */
export function parseGoModules(printed: string): Map<string, GoModule[]> {
  const programs = new Map<string, GoModule[]>();
  let modules: GoModule[] = [];
  for (const line of printed.split('\n')) {
    const [, kind, path = '', version = '', sum] = line.split('\t');
    if (kind === undefined) {
      const [, program] = /^(.+): (?:devel )?go\d\S*$/.exec(line) ?? [];
      if (program === undefined) continue;
      modules = [];
      programs.set(program, modules);
    } else if (kind === 'mod' || kind === 'dep') {
      modules.push({ path, version, ...(sum === undefined || sum === '' ? {} : { sum }) });
    } else if (kind === '=>' && version !== '') {
      modules.splice(-1, 1, { path, version, ...(sum === undefined || sum === '' ? {} : { sum }) });
    }
  }
  return programs;
}
