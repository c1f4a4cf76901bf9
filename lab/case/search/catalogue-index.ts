import MiniSearch, { type AsPlainObject, type Options, type SearchResult } from 'minisearch';
import type { Found, SearchKind } from '../../model/saved/found.ts';
import { SEARCH_FIELDS, type SearchEntry, type SearchFieldName } from './search-entry.ts';

/** What is kept of the catalogue for later searches; it survives JSON as it is. */
export type KeptIndex = AsPlainObject;

/** Searches bugs, scenarios, killers and docs. */
export type CatalogueIndex = MiniSearch<SearchEntry>;

/** Words that are in every report, and tell none from another. */
const STOP_WORDS = new Set(
  `a an and are as at be been but by can cannot could did do does for from get had has have how i if in into is it its
  just me more my no not of on one or our out over same should so some such than that the their then there these they
  this to up us use used using was we were what when where which while who why will with would you your after before
  kubernetes k8s pod pods container containers node nodes kubelet cluster bug issue expected happened happen
  about again also any because being even ever every few give go going here however last late like likely many may
  might most much must need needs now off once only per please possible really running see seem seen since still
  take them think too trying until want wants within work works working yet you've
  github com https http www org issues pull labels kind closed open merged comment description`.split(/\s+/),
);

/** How much a hit in a text of an entry counts. */
const BOOSTS: Readonly<Record<SearchFieldName, number>> = {
  title: 4,
  symptoms: 3,
  components: 2.5,
  links: 2,
  text: 1,
};

/** The reason in words, by where the words were found. */
const REASONS: Readonly<Record<SearchFieldName, string>> = {
  title: 'its title has',
  symptoms: 'it shows',
  components: 'it is about',
  links: 'a link of it has',
  text: 'its text has',
};

const OPTIONS: Options<SearchEntry> = {
  fields: [...SEARCH_FIELDS],
  storeFields: ['kind', 'name', 'title'],
  tokenize,
  processTerm: (term) => (term.length < 2 || STOP_WORDS.has(term) ? null : stem(term)),
};

/** Puts entries into an index. */
export function indexCatalogue(entries: readonly SearchEntry[]): CatalogueIndex {
  const index = new MiniSearch<SearchEntry>(OPTIONS);
  const ids = new Set<string>();
  for (const entry of entries) {
    // Two headings of a page may be the same: the first one is found.
    if (ids.has(entry.id)) continue;
    ids.add(entry.id);
    index.add(entry);
  }
  return index;
}

/** An index as it was kept. */
export function openKeptIndex(kept: KeptIndex): CatalogueIndex {
  return MiniSearch.loadJS<SearchEntry>(kept, OPTIONS);
}

/** What is asked of an index. */
export interface CatalogueQuestion {
  /** Kinds that may be found; all of them without. */
  readonly kinds?: readonly SearchKind[];
  readonly most: number;
  /** Ids of entries that somebody else has found already. */
  readonly without?: readonly string[];
}

/** The entries that are nearest to a text, best first, each with one reason. */
export function searchCatalogue(index: CatalogueIndex, text: string, question: CatalogueQuestion): Found[] {
  return scoreCatalogue(index, text, question).map(({ found }) => found);
}

/** A hit of a search. */
interface ScoredEntry {
  readonly found: Found;
  /** Only differences between two mean something. */
  readonly score: number;
  /** Words that it shares with the text, and few other hits do. */
  readonly rare: readonly string[];
}

/** A word that so many hits have tells none of them from another. */
const MOST_SHARING = 8;

/** The same, with how near each is. */
export function scoreCatalogue(
  index: CatalogueIndex,
  text: string,
  { kinds, most, without = [] }: CatalogueQuestion,
): ScoredEntry[] {
  const found = index.search(text, {
    boost: BOOSTS,
    prefix: (term) => term.length > 4,
    fuzzy: (term) => (term.length > 6 ? 0.15 : false),
    filter: ({ kind, id }) =>
      (kinds === undefined || kinds.includes(kind as SearchKind)) && !without.includes(String(id)),
  });
  const asked = wordsOf(text);
  const sharing = new Map<string, number>();
  for (const term of found.flatMap(({ queryTerms }) => queryTerms))
    sharing.set(term, (sharing.get(term) ?? 0) + 1);
  return found.slice(0, most).map((result) => ({
    score: result.score,
    rare: withoutParts(result.queryTerms.filter((term) => (sharing.get(term) ?? 0) <= MOST_SHARING)),
    found: {
      kind: result.kind as SearchKind,
      name: result.name as string,
      title: titleOf(result),
      why: reasonOf(result, asked),
    },
  }));
}

/** `control-plane` is one word, although its parts are found too. */
function withoutParts(terms: readonly string[]): string[] {
  const parts = new Set(
    terms.flatMap((term) =>
      tokenize(term)
        .filter((part) => part !== term)
        .map(stem),
    ),
  );
  return terms.filter((term) => !parts.has(term));
}

/** A word that is in more titles than these tells none from another. */
const MOST_TITLES = 6;
const MOST_TELLING_WORDS = 12;
const MOST_WORDS_READ = 2000;

/** Words of a long text that are in few titles of bugs and scenarios: what it is about, not how it is written. */
export function listTellingWords(index: CatalogueIndex, text: string): string[] {
  const words = [...wordsOf(text)]
    .slice(0, MOST_WORDS_READ)
    .filter(([, word]) => /^[a-z][\w.-]{3,}$/.test(word));
  return words
    .filter(([stemmed]) => {
      const titles = index.search(stemmed, {
        fields: ['title'],
        filter: ({ kind }) => kind === 'bug' || kind === 'scenario',
      }).length;
      return titles > 0 && titles <= MOST_TITLES;
    })
    .map(([, word]) => word)
    .slice(0, MOST_TELLING_WORDS);
}

/** Titles in the index begin with the name. */
function titleOf({ title, name }: SearchResult): string {
  const [whole, own] = [title as string, name as string];
  return whole.startsWith(`${own} `) ? whole.slice(own.length + 1) : whole;
}

/** Words that a reason names. */
const MOST_WORDS = 4;

/** Where the words that count most were found, in the words of who asked. */
function reasonOf({ match, queryTerms }: SearchResult, asked: ReadonlyMap<string, string>): string {
  const inFields = new Map<SearchFieldName, string[]>();
  for (const [term, fields] of Object.entries(match))
    for (const field of fields as SearchFieldName[])
      inFields.set(field, [...(inFields.get(field) ?? []), term]);
  const [best] = [...inFields].sort(
    ([one, ones], [other, others]) => others.length * BOOSTS[other] - ones.length * BOOSTS[one],
  );
  if (best === undefined) return 'it is near';
  const [field, terms] = best;
  const isThere = (word: string): boolean => terms.some((term) => term.startsWith(word.slice(0, SAME)));
  const words = [...new Set(queryTerms.filter(isThere))].map((word) => asked.get(word) ?? word);
  const named = (words.length === 0 ? terms : words).slice(0, MOST_WORDS).map((word) => `"${word}"`);
  return `${REASONS[field]} ${named.join(', ')}`;
}

/** Two words that begin alike were found for each other. */
const SAME = 4;

/** The words of a question by what is looked for in the index. */
function wordsOf(text: string): Map<string, string> {
  return new Map(tokenize(text).map((word) => [stem(word), word]));
}

/** Words, and the parts of names such as FailedCreatePodSandBox, memory.oom.group or oom-reported-as-error. */
function tokenize(text: string): string[] {
  return text.split(/[^\p{L}\p{N}._+-]+/u).flatMap((word) => {
    const whole = word.replace(/^[._+-]+|[._+-]+$/g, '');
    if (whole === '') return [];
    const parts = whole.split(/[._+-]|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '');
    const lower = [whole, ...(parts.length > 1 ? parts : [])].map((part) => part.toLowerCase());
    return [...new Set(lower)];
  });
}

/** Plurals and past tenses of English; names stay as they are. */
function stem(term: string): string {
  if (!/^[a-z]{5,}$/.test(term)) return term;
  return term.replace(/(?<=[a-z]{3})(?:ing|ed|es|s)$/, '');
}
