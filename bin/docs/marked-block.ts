import { UsageError } from '../../lab/model/errors/errors.ts';

/** A part of a page that a program writes, between two comments that a reader does not see. */

const begin = (name: string): string => `<!-- begin ${name}: written by \`npm run docs\`, not by hand -->`;
const end = (name: string): string => `<!-- end ${name} -->`;

/** The text between the marks of a block; undefined when the page has no such block, or more than one. */
export function findBlock(page: string, name: string): string | undefined {
  const [before, inside, ...more] = page.split(begin(name));
  if (before === undefined || inside === undefined || more.length > 0) return undefined;
  const [text, ...rest] = inside.split(end(name));
  return rest.length === 1 ? text?.trim() : undefined;
}

/**
 * Replaces the text of a block and leaves the rest of the page as it is.
 *
 * @throws UsageError when the page has not exactly one such block.
 */
export function replaceBlock(page: string, name: string, text: string): string {
  if (findBlock(page, name) === undefined)
    throw new UsageError(`the page has not exactly one block "${name}"`, {
      tryNext: `put these two lines where it belongs:\n${begin(name)}\n${end(name)}`,
    });
  const from = page.indexOf(begin(name)) + begin(name).length;
  return `${page.slice(0, from)}\n\n${text.trim()}\n\n${page.slice(page.indexOf(end(name)))}`;
}
