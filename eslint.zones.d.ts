/** Types of eslint.zones.js for its test. */
export interface Zone {
  readonly target: string;
  readonly from: string;
  readonly except: readonly string[];
}
export const DIRECTION_ZONES: readonly Zone[];
export const PURE_FOLDERS: readonly string[];
export const PROCESS_MODULES: readonly string[];
export const MAX_FILES: number;
/** The rooms of each area, floor by floor. */
export const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>>;
export interface Place {
  readonly area: string;
  readonly room: string;
  readonly floor: number;
}
export function placeOf(file: string): Place | undefined;
