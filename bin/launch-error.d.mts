/** Types of launch-error.mjs. */

/** The version of the error as JSON: that of lab/model/files/format-version.ts. */
export const LAUNCH_FORMAT_VERSION: number;
export declare const LAUNCH_EXIT_CODES: { readonly usage: 2; readonly host: 3; readonly interrupted: 130 };
