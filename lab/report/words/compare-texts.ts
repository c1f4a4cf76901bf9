/** A piece of a text, and whether the other text does not have it. */
export interface Piece {
  readonly text: string;
  readonly isUnlike: boolean;
}

/**
 * What no two runs have in common even when the same happened: ids, pids, uids, times and durations, names that were
 * generated.
 */
const NAMES = [
  String.raw`\b[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}\b`,
  String.raw`\bpod[0-9a-f]{8}(?:(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})?\b`,
  String.raw`\b(?=[a-f]*[0-9])[0-9a-f]{10,64}\b`,
  String.raw`\b(?:pid|tid|ppid|uid)[ =:]\d+\b`,
  String.raw`\b(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?Z?\b`,
  String.raw`\b(?:\d+h )?(?:\d+m )?\d+(?:\.\d+)? ?(?:ms|µs|ns|s|min)\b`,
  String.raw`-(?:[0-9a-f]{8,10}-)?(?=[a-z]*\d)[a-z0-9]{5}\b`,
  String.raw`-\d{8}-[a-z0-9]{5}\b`,
];
const TOKENS = new RegExp(`(${NAMES.join('|')})|[\\w.]+|\\s+|[^\\w\\s]`, 'gi');

interface Token {
  readonly text: string;
  /** Equal for tokens that mean the same. */
  readonly key: string;
}

/** Longest text that is compared word by word, in words. */
const MAX_WORDS = 400;

function split(text: string): Token[] {
  return [...text.matchAll(TOKENS)].map(([token, name]) => ({
    text: token,
    key: name === undefined ? token : `id${/\d ?(?:ms|µs|ns|s|min)$/.test(token) ? ' time' : ''}`,
  }));
}

/** Whether two texts say the same, whatever ids, pids, uids and times they name. */
export function isAlike(one: string, other: string): boolean {
  return one === other || areAlike(split(one), split(other));
}

function areAlike(a: readonly Token[], b: readonly Token[]): boolean {
  return a.length === b.length && a.every(({ key }, index) => key === b[index]?.key);
}

/**
 * Splits a text into pieces, and marks those that another text does not have. Ids, pids, uids and times are never
 * marked.
 */
export function listUnlike(text: string, other: string): Piece[] {
  if (text === other) return [{ text, isUnlike: false }];
  const [a, b] = [split(text), split(other)];
  if (areAlike(a, b)) return [{ text, isUnlike: false }];
  if (a.length > MAX_WORDS || b.length > MAX_WORDS) return [{ text, isUnlike: true }];
  const common = findCommon(a, b);
  return joinPieces(a.map((token, index) => ({ text: token.text, isUnlike: !common.has(index) })));
}

/** Returns the indexes in `a` of a longest common subsequence. */
function findCommon(a: readonly Token[], b: readonly Token[]): Set<number> {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i]![j] = a[i]?.key === b[j]?.key ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const common = new Set<number>();
  for (let [i, j] = [0, 0]; i < a.length && j < b.length;) {
    if (a[i]?.key === b[j]?.key) {
      common.add(i);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return common;
}

/** Neighbours of one kind become one piece; a blank or hyphen between two that are marked is marked too, no other. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const isBlank = ({ text }: Piece): boolean => /^(?:\s+|-)$/.test(text);
  const smooth = pieces.map((piece, index): Piece => {
    if (!isBlank(piece)) return piece;
    const isUnlike = [pieces[index - 1], pieces[index + 1]].every((near) => near?.isUnlike === true);
    return { ...piece, isUnlike };
  });
  const joined: Piece[] = [];
  for (const piece of smooth) {
    const last = joined.at(-1);
    if (last?.isUnlike === piece.isUnlike)
      joined[joined.length - 1] = { ...piece, text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}
