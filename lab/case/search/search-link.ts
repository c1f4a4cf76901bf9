import type { Found } from '../../model/saved/found.ts';
import { parseReportLink } from '../../plan/bugs/find-bug.ts';
import { searchCatalogue, type CatalogueIndex, type CatalogueQuestion } from './catalogue-index.ts';

/** What is near to a link that no bug has: its address says the project, and of some sites the title. */
export function searchLink(index: CatalogueIndex, link: string, question: CatalogueQuestion): Found[] {
  const report = parseReportLink(link);
  const words = (report ?? link.replace(/^https?:\/\/(?:www\.)?/, ''))
    .replace(/#.*/, '')
    .replaceAll('/', ' ');
  const found = searchCatalogue(index, words, { ...question, kinds: ['bug', 'scenario'] });
  const repository = report?.replace(/#.*/, '');
  return found.map((one) => ({
    ...one,
    why: repository === undefined ? one.why : `of ${repository}, as far as the link says: ${one.why}`,
  }));
}

/** Whether a word is the address of a report, or its short form. */
export function isLink(word: string): boolean {
  return /^https?:\/\//.test(word) || parseReportLink(word) !== undefined;
}
