/**
 * Builds a function that derives something of a list only once, however often it is asked: the records of an input are the same for each
 * of its deaths. The list must not change.
 */
export function deriveOnce<Item, Derived>(
  derive: (list: readonly Item[]) => Derived,
): (list: readonly Item[]) => Derived {
  const known = new WeakMap<readonly Item[], { readonly derived: Derived }>();
  return (list) => {
    const found = known.get(list) ?? { derived: derive(list) };
    known.set(list, found);
    return found.derived;
  };
}
