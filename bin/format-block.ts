import { format, resolveConfig } from 'prettier';

/** Formats the Markdown of a block as prettier would have it, its prose wrapped. */
export async function formatBlock(text: string, page: string): Promise<string> {
  const options = { ...(await resolveConfig(page)), filepath: page, proseWrap: 'always' as const };
  return (await format(text, options)).trim();
}
