import type { ParameterTexts } from '../declared/parameters.ts';
import { shellWord } from '../text/shell.ts';

/**
 * Addresses of cells: `<variant>/<scenario>`, followed by `[name=value,…]` for the parameters that are not at their
 * default. A value has `/` written as in a URL, so an address has one slash.
 */

/**
 * Returns the address of a cell.
 *
 * @param world canonical name of the variant.
 * @param changed values of the parameters that are not at their default, in declared order.
 */
export function cellAddress(world: string, scenario: string, changed: ParameterTexts = {}): string {
  return `${world}/${scenario}${bracket(changed)}`;
}

/** Writes values of parameters as they are written after a name: `[limit=64Mi,init=tini]`; nothing for none. */
export function bracket(values: ParameterTexts): string {
  const parts = Object.entries(values).map(([name, value]) => `${name}=${value.replaceAll('/', '%2F')}`);
  return parts.length === 0 ? '' : `[${parts.join(',')}]`;
}

/** A word, and what it has in brackets: name and value (or glob) of parameters. */
export interface BracketedWord {
  readonly head: string;
  /** Undefined for a word without brackets; `value` is undefined where there is no `=`. */
  readonly inside: readonly { readonly name: string; readonly value: string | undefined }[] | undefined;
}

/** Splits a word such as `default/oom-*[limit=64Mi]`. A bracket that is not closed at the end is part of the name. */
export function splitBrackets(word: string): BracketedWord {
  const [, head, inside] = /^([^[\]]*)\[([^[\]]*)\]$/.exec(word) ?? [];
  if (head === undefined || inside === undefined) return { head: word, inside: undefined };
  return {
    head,
    inside: inside.split(',').map((part) => {
      const at = part.indexOf('=');
      if (at < 0) return { name: part, value: undefined };
      return { name: part.slice(0, at), value: part.slice(at + 1).replaceAll('%2F', '/') };
    }),
  };
}

/** The scenario of an address with its parameters: what follows the variant. */
export function scenarioPart(address: string): string {
  return address.slice(address.lastIndexOf('/') + 1);
}

/** An address as a word to paste into a shell, which would take brackets for a pattern. */
export function addressWord(address: string): string {
  return shellWord(address);
}

/**
 * The folder of a cell below `cells/`. It is the address, with `x,limit=64Mi` for `x[limit=64Mi]`, which a shell would
 * take for a pattern. No name and no value has a comma.
 */
export function cellFolder(address: string): string {
  return address.replace('[', ',').replace(/\]$/, '');
}
