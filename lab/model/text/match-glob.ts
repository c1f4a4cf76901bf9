/** Compiles a glob: `*` matches any characters (slashes too), `?` one. */
export function compileGlob(glob: string): (text: string) => boolean {
  if (!isGlob(glob)) return (text) => text === glob;
  return (text) => fits(glob, text);
}

/** Whether a word may match more than itself. */
export function isGlob(word: string): boolean {
  return /[*?]/.test(word);
}

/** Whether a text matches a glob. For many texts compile it once. */
export function matchGlob(glob: string, text: string): boolean {
  return compileGlob(glob)(text);
}

/** Compiles a glob over a path: `*` and `?` match characters of one part. */
export function compilePathGlob(glob: string): (path: string) => boolean {
  const parts = glob.split('/').map(compileGlob);
  return (path) => {
    const names = path.split('/');
    return names.length === parts.length && parts.every((fitsPart, index) => fitsPart(names[index] ?? ''));
  };
}

/**
 * Compares character by character. After a mismatch the last `*` takes one more: no `*` before it needs to be asked
 * again, so that many of them cost no more than one.
 */
function fits(glob: string, text: string): boolean {
  let [at, taken] = [0, 0];
  let star: { readonly at: number; taken: number } | undefined;
  while (taken < text.length) {
    const wanted = glob[at];
    if (wanted === '*') {
      star = { at, taken };
      at += 1;
    } else if (wanted === '?' || (wanted !== undefined && wanted === text[taken])) {
      at += 1;
      taken += 1;
    } else if (star === undefined) {
      return false;
    } else {
      star.taken += 1;
      [at, taken] = [star.at + 1, star.taken];
    }
  }
  return /^\**$/.test(glob.slice(at));
}
