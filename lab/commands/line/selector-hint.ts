import { AXES } from '../../model/axes/axes.ts';
import { SELECTOR_KEYS } from '../../plan/check/check-parameters.ts';

/** Returns how a selector is written, for a flag with the name of one: `--cgroup` is the word `cgroup=<value>`. */
export function hintOfSelector(flag: string, value = '<value>'): string | undefined {
  const name = flag.replace(/^--?/, '');
  const names: readonly string[] = [...AXES, ...SELECTOR_KEYS];
  return names.includes(name) ? ` (did you mean the word ${name}=${value}?)` : undefined;
}
