/** Compiles a glob: `*` stands for any characters (slashes too), `?` for one. */
export function compileGlob(glob: string): (text: string) => boolean {
  if (!/[*?]/.test(glob)) return (text) => text === glob;
  const pattern = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const expression = new RegExp(`^${pattern}$`);
  return (text) => expression.test(text);
}

/** Whether a text matches a glob. For many texts compile it once. */
export function matchGlob(glob: string, text: string): boolean {
  return compileGlob(glob)(text);
}
