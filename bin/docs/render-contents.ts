/** A heading of a page. */
interface Heading {
  /** 2 for `##`. */
  readonly level: number;
  readonly text: string;
  /** What GitHub calls it in a link. */
  readonly anchor: string;
}

/** The pages in `docs/measured/` that nobody reads from top to bottom. */
export const LONG_PAGES = ['articles.md', 'bugs.md', 'results.md', 'who-gets-killed.md'];

/** Lists what a page has: an item for each `##`, with what is below it. */
export function renderContents(page: string): string {
  const items: { head: Heading; below: Heading[] }[] = [];
  for (const heading of listHeadings(page)) {
    if (heading.level === 2) items.push({ head: heading, below: [] });
    if (heading.level === 3) items.at(-1)?.below.push(heading);
  }
  return items
    .map(
      ({ head, below }) =>
        `- ${linkTo(head)}${below.length === 0 ? '' : `: ${below.map(linkTo).join(', ')}`}`,
    )
    .join('\n');
}

function linkTo({ text, anchor }: Heading): string {
  return `[${text}](#${anchor})`;
}

/** The headings outside of code. Of several with one name GitHub numbers the anchors. */
function listHeadings(page: string): Heading[] {
  const counts = new Map<string, number>();
  const prose = page.replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/^(#+) (.+)$/gm)].map(([, marks = '', text = '']) => {
    const name = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return { level: marks.length, text, anchor: count === 0 ? name : `${name}-${count}` };
  });
}
