/** Types of launch-error.mjs. */

/** The version of the error as JSON: that of lab/model/files/format-version.ts. */
export const LAUNCH_FORMAT_VERSION: number;
