const MIB = 1024 * 1024;

/** Bytes for a reader: `127.5 MiB`, `2.0 GiB`. */
export function formatBytes(bytes: number): string {
  const mib = bytes / MIB;
  return mib < 1024 ? `${mib.toFixed(1)} MiB` : `${(mib / 1024).toFixed(1)} GiB`;
}

/** Bytes rounded to MiB, with at most so many decimals: `128 MiB`, `127.5 MiB`. */
export function formatMebibytes(bytes: number, decimals = 0): string {
  const scale = 10 ** decimals;
  return `${Math.round((bytes / MIB) * scale) / scale} MiB`;
}
