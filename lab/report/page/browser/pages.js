/* exported openPages, openTexts */
/** What the report keeps of its cells as text: their pages, and the texts in which the search looks. */

/** Unpacks JSON that was deflated and written in base64. */
async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Map(Object.entries(JSON.parse(await new Response(stream).text())));
}

/** The pages of cells. The parser keeps the content of a `noscript` element as text while scripts run. */
function openPages() {
  const plain = new Map(
    [...document.querySelectorAll('noscript[data-page]')].map((element) => [element.dataset.page, element]),
  );
  const packs = [...document.querySelectorAll('script[data-pack]')];
  const places = new Map(
    JSON.parse(document.getElementById('packed').textContent).flatMap((addresses, index) =>
      addresses.map((address) => [address, index]),
    ),
  );
  const unpacked = new Map();
  const openPack = (index) => {
    if (!unpacked.has(index)) unpacked.set(index, unpack(packs[index].textContent));
    return unpacked.get(index);
  };
  return {
    has: (address) => plain.has(address) || places.has(address),
    /** HTML of the page of a cell. */
    read: async (address) =>
      plain.get(address)?.textContent ?? (await openPack(places.get(address))).get(address) ?? '',
  };
}

/** Texts to search, by the address of a cell. They are unpacked when they are wanted first. */
function openTexts() {
  let texts;
  return () => (texts ??= unpack(document.getElementById('search-texts').textContent));
}
