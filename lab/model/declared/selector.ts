import { ownValue } from '../text/own-value.ts';

/**
 * Whether labels satisfy an equality selector as kubectl takes it: `a=b,c==d,e!=f,g` (exists) and `!h` (does not).
 * Set-based selectors (`in`, `notin`) match nothing.
 */
export function matchesSelector(selector: string, labels: Readonly<Record<string, string>>): boolean {
  const terms = selector.split(',').map((term) => term.trim());
  return terms.filter((term) => term !== '').every((term) => matchesTerm(term, labels));
}

function matchesTerm(term: string, labels: Readonly<Record<string, string>>): boolean {
  const found = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(term);
  if (found !== null) {
    const [, name = '', operator, value = ''] = found;
    return (ownValue(labels, name) === value) === (operator !== '!=');
  }
  if (/\s/.test(term)) return false;
  return term.startsWith('!') ? !Object.hasOwn(labels, term.slice(1)) : Object.hasOwn(labels, term);
}
