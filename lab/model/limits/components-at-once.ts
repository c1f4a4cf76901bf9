/**
 * How many components are made at once. A build waits for downloads, and links on one processor: another one fills the
 * gaps. Each takes some GB of memory.
 */
export const COMPONENTS_AT_ONCE = 2;
