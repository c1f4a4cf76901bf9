/** How files of known formats begin, in hexadecimal, as the formats define it. */
export const BEGINNINGS = {
  gzip: '1f8b',
  xz: 'fd377a585a00',
  zstd: '28b52ffd',
  zip: '504b0304',
} as const;
