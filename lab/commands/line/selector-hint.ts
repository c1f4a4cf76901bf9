import { AXES } from '../../model/axes/axes.ts';
import { SELECTOR_KEYS } from '../../plan/check/check-parameters.ts';

/** For a flag that is called like an axis or another selector: how that is written. */
export function hintOfSelector(flag: string, value = '<value>'): string | undefined {
  const name = flag.replace(/^--?/, '');
  const names: readonly string[] = [...AXES, ...SELECTOR_KEYS];
  return names.includes(name) ? ` (did you mean the word ${name}=${value}?)` : undefined;
}
