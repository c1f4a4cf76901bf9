import type { Found } from '../../model/saved/found.ts';
import { parseReportLink } from '../../plan/bugs/find-bug.ts';
import { searchCatalogue, type CatalogueIndex, type CatalogueQuestion } from './catalogue-index.ts';

/** Parts of owners and hosts that say nothing of what a report is about: `k3s-io`, `kubernetes-sigs`, `example.org`. */
const OF_OWNERS = new Set(
  'io org sigs dev net co app cloud team project labs inc foundation archives gitlab bugs bugzilla forum discuss launchpad'.split(
    ' ',
  ),
);

/** Distributions of Kubernetes: their reports are mostly about what they carry. */
const DISTRIBUTIONS = new Set(['k3s', 'rke2', 'kind', 'minikube', 'microk8s', 'k0s']);
const CARRIED = ['containerd', 'runc', 'kubelet'];

/** The words of an address that tell what it is about, and what a distribution carries. */
function wordsOfLink(path: string): string {
  const words = path.split(/[^\p{L}\p{N}]+/u).filter((word) => !OF_OWNERS.has(word.toLowerCase()));
  const isOfDistribution = words.some((word) => DISTRIBUTIONS.has(word.toLowerCase()));
  return [...new Set([...words, ...(isOfDistribution ? CARRIED : [])])].join(' ');
}

/** What is near to a link that no bug has: its address says the project, and of some sites the title. */
export function searchLink(index: CatalogueIndex, link: string, question: CatalogueQuestion): Found[] {
  const report = parseReportLink(link);
  const words = wordsOfLink((report ?? link.replace(/^https?:\/\/(?:www\.)?/, '')).replace(/#.*/, ''));
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
