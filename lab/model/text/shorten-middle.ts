/** A text of at most `most` letters and a few words: what is missing in its middle is counted. */
export function shortenMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}… (${text.length - 2 * half} more) …${text.slice(-half)}`;
}
