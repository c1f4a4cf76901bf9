/** One file of what a person gave, wherever it was packed. */
export interface OpenedFile {
  /** How the person would find it: the path of the archive, then the name in it. */
  readonly path: string;
  /** The content, unpacked. It can be read once, and only before the next file is asked for. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** What was found and is not read, or not wholly; `why` is for a reader. */
export interface BundleProblem {
  readonly path: string;
  readonly why: string;
}

/** Bounds of one bundle. What is beyond them is not read, and that is said. */
export interface BundleLimits {
  /** Files, those in archives too. */
  readonly maxFiles: number;
  /** Bytes after unpacking. */
  readonly maxBytes: number;
  /** Archives in archives. */
  readonly maxDepth: number;
}

/** A bundle of a big node has some thousand files and 200 MB. */
export const BUNDLE_LIMITS: BundleLimits = {
  maxFiles: 200_000,
  maxBytes: 4 * 1024 * 1024 * 1024,
  maxDepth: 4,
};
