/** How a field of an outcome is said to a person, given its value as text. */
export type OutcomeWords = Readonly<Record<string, (text: string) => string>>;

/** The fields of an outcome (`./scenario.ts`) that are said alike wherever an expectation is printed. */
export const OUTCOME_WORDS: OutcomeWords = {
  level: (text) => `at ${text} level`,
  reason: (text) => `reason ${text}`,
  exitCode: (text) => `exit code ${text}`,
  withinSeconds: (text) => `within ${text} s`,
  survivesSeconds: (text) => `alive for ${text} s`,
  exceedsLimit: () => 'beyond the memory limit of its pod',
};
