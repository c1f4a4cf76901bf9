/** Most runs of one cell. */
export const MAX_REPEATS = 100;
