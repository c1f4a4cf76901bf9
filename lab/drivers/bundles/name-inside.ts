/** The name of an entry is a stranger's word: it leads nowhere. */
export function nameInside(archive: string, name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return [archive, ...parts].join('/');
}
