/** Types of open-files.mjs, which is plain JavaScript because the launcher uses it before node modules are there. */

/** The soft limit of proc(5)'s /proc/self/limits, which Node raises to the hard one; Infinity where there is none. */
export function findOpenFilesLimit(): number;
