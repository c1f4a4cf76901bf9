/** Bytes for a reader: `127.5 MiB`, `2.0 GiB`. */
export function formatBytes(bytes: number): string {
  const mib = bytes / 1024 / 1024;
  return mib < 1024 ? `${mib.toFixed(1)} MiB` : `${(mib / 1024).toFixed(1)} GiB`;
}
