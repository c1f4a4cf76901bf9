import type { Axis } from '../../model/axes/axes.ts';
import { runtime, type Runtime } from '../../model/axes/runtime.ts';
import type { LAYERS } from '../../model/killers/killers.ts';

/** A part of a program that changes together, and what a change there can break. */
export interface ProgramArea {
  readonly id: string;
  /** What can go wrong, and why. */
  readonly about: string;
  /** The layers that may then say something else. */
  readonly layers: readonly (typeof LAYERS)[number][];
  /** Tags of the scenarios that show it. */
  readonly tags: readonly string[];
  /** Where it is in the source: globs of paths, in which `*` crosses folders. */
  readonly paths: readonly string[];
}

/** A program, and what a change of it can break. */
export interface GatedReach {
  /** Its name as a runtime, where the axis has other programs too. */
  readonly runtime?: Runtime['name'];
  /** What a version has to be followed by, so that the default world enforces limits under it. */
  readonly option?: string;
  /** The axes beside its own on which its code takes another way, with the values that differ. */
  readonly beside: Partial<Readonly<Record<Axis, readonly string[]>>>;
  /** Why these. */
  readonly because: string;
  /** Where that can be checked. */
  readonly source: string;
  readonly areas: readonly ProgramArea[];
  /** Paths that can change no death. Every other path that no area names may change all of them. */
  readonly harmless: readonly string[];
}

/** Paths that can change no death, in the source of any of them. */
export const HARMLESS: readonly string[] = [
  '*.md',
  'docs/*',
  'doc/*',
  'Documentation/*',
  '.github/*',
  '*_test.go',
  '*/testdata/*',
  'LICENSE*',
  '.gitignore',
];

/**
 * Whether a value of the program's axis is this program.
 *
 * @throws UsageError when it is not a value of the axis.
 */
export function isProgram(reach: GatedReach, value: string): boolean {
  return reach.runtime === undefined || runtime.parse(value).name === reach.runtime;
}
