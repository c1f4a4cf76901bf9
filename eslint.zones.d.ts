/** Types of eslint.zones.js for its test. */
export interface Zone {
  readonly target: string;
  readonly from: string;
  readonly except: readonly string[];
}
export const DIRECTION_ZONES: readonly Zone[];
export const PURE_FOLDERS: readonly string[];
export const PROCESS_MODULES: readonly string[];
