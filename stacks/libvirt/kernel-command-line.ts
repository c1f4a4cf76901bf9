import { InternalError } from '../../lab/model/errors/errors.ts';

/** Name under which the provider keeps words without a value. */
const KEYLESS = '_';

/**
 * Turns the words of a kernel command line into the list of maps that `cmdline` of provider 0.8.3 takes.
 *
 * The provider sorts all words, and reads them back from libvirt in its own grouping (one map until a key repeats,
 * then words without a value joined in a last map); any other grouping would be a change in every plan. This
 * function gives exactly that grouping, and refuses a command line when sorting would change its meaning.
 * Source: `setCmdlineArgs` and `splitKernelCmdLine` of terraform-provider-libvirt 0.8.3.
 *
 * @throws InternalError for a word with a space, for `--`, and for a repeated key whose values are not in order.
 */
export function planKernelCommandLine(words: readonly string[]): Record<string, string>[] {
  refuseWhatSortingBreaks(words);
  const maps: Record<string, string>[] = [];
  let current: Record<string, string> = {};
  for (const word of words.filter((word) => word.includes('=')).sort()) {
    const key = keyOf(word);
    if (Object.hasOwn(current, key)) {
      maps.push(current);
      current = {};
    }
    current[key] = word.slice(key.length + 1);
  }
  if (Object.keys(current).length > 0) maps.push(current);
  const keyless = words.filter((word) => !word.includes('='));
  if (keyless.length > 0) maps.push({ [KEYLESS]: keyless.join(' ') });
  return maps;
}

function refuseWhatSortingBreaks(words: readonly string[]): void {
  const lastOfKey = new Map<string, string>();
  for (const word of words) {
    if (word === '' || /\s/.test(word))
      throw new InternalError(`kernel command line: "${word}" is not one word`);
    if (word === '--')
      throw new InternalError('kernel command line: words after "--" would be sorted before it');
    const key = keyOf(word);
    if (key === KEYLESS)
      throw new InternalError(`kernel command line: the provider cannot pass on "${word}"`);
    const before = lastOfKey.get(key);
    if (word.includes('=') && before !== undefined && before > word) {
      throw new InternalError(
        `kernel command line: "${before}" must stay before "${word}", but words are sorted`,
      );
    }
    lastOfKey.set(key, word);
  }
}

function keyOf(word: string): string {
  return word.split('=', 1)[0] ?? word;
}
