/** Types of find-obstacle.mjs. */
import type { Stats } from 'node:fs';

/** What is in the way, and what of it is lacking. */
export interface Obstacle {
  /**
   * `missing`: it is not there; `file`: a folder is needed; `read`, `write`: it may not be read or entered, or written;
   * `other`: the mode allows it, so something else refuses.
   */
  readonly kind: 'missing' | 'file' | 'read' | 'write' | 'other';
  /** The path, or a folder above it. */
  readonly path: string;
  readonly stat?: Stats | undefined;
}

/** Finds what is in the way of a system call on a path. */
export function findObstacle(path: string, syscall: string | undefined): Obstacle;

/** The outermost folder on the way to a path that belongs to somebody else although its parent is ours. */
export function findForeignBelowOurs(path: string): string | undefined;

/** `root (uid 0)`, and `uid 1234` where nobody has that id. */
export function nameUser(uid: number): string;

/** Whether a path is in the folder that a variable names, or is above it. */
export function isInFolderOf(name: 'WHODUNIT_HOME' | 'WHODUNIT_CACHE', path: string): boolean;
