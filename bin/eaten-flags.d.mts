/** Types of eaten-flags.mjs, which is plain JavaScript because it runs before node modules are there. */
export const LAB_FLAGS: Readonly<Record<string, boolean>>;
export function findEatenFlags(
  env: NodeJS.ProcessEnv,
  words: readonly string[],
): { flags: string[]; line?: string } | undefined;
