import { parseReportLink } from '../../plan/bugs/find-bug.ts';

/** What a new bug takes of the link to its report. */
export interface NewBugLink {
  /** `kubernetes-138760`: a name until somebody finds a better one. */
  readonly id: string;
  readonly link: string;
}

/** Longest name that is made of a link. */
const MOST_LETTERS = 40;

/** The link of a report, whole, and a name made of it; undefined when the word is not the whole address of a report. */
export function bugOfLink(word: string): NewBugLink | undefined {
  const [, owner, repository, number] =
    /^([\w.-]+)\/([\w.-]+)#(\d+)$/.exec(parseReportLink(word) ?? '') ?? [];
  if (owner !== undefined && repository !== undefined && number !== undefined) {
    const kind = /\/pull\/\d+/i.test(word) ? 'pull' : 'issues';
    return {
      id: nameOf(`${repository}-${number}`),
      link: `https://github.com/${owner}/${repository}/${kind}/${number}`,
    };
  }
  const [, address] = /^https:\/\/([^\s/?#@]+\/[^\s?#]*)/.exec(word) ?? [];
  if (address === undefined) return undefined;
  const id = nameOf(address.replace(/^www\./, '').replace(/\.\w+(?=\/)/, ''));
  return id === '' ? undefined : { id, link: word };
}

function nameOf(text: string): string {
  const words = text.toLowerCase().split(/[^a-z0-9]+/);
  let name = '';
  for (const word of words.filter((one) => one !== '')) {
    const longer = name === '' ? word.slice(0, MOST_LETTERS) : `${name}-${word}`;
    if (longer.length > MOST_LETTERS) break;
    name = longer;
  }
  return name;
}
