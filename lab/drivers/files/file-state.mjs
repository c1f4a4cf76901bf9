/**
 * The state of a file: size, inode and the time of the last change (`ctime`), which nobody can set. A file that was changed,
 * replaced or copied has another one. Plain JavaScript: the launcher asks too.
 *
 * @param {import('./file-state.d.mts').State} file
 */
export function describeState({ size, ino, ctimeNs }) {
  return `${size} ${ino} ${ctimeNs}`;
}
