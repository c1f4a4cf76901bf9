import type { Guest } from '../../model/host/host.ts';

/** A file of a node, as the lab writes it. */
export interface NodeFile {
  /** Absolute, in the guest. */
  readonly path: string;
  readonly text: string;
  /** Permission bits; those of `Guest.writeFile` when absent. */
  readonly mode?: number;
}

/** Writes files into a node, in their order. */
export async function writeNodeFiles(guest: Guest, files: readonly NodeFile[]): Promise<void> {
  for (const { path, text, mode } of files) await guest.writeFile(path, text, mode);
}
