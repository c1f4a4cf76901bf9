import { UsageError } from '../../model/errors/errors.ts';

/**
 * Reads several independent parts of a question, so that one error has the problems of all of them.
 *
 * @throws UsageError with the problems of all parts, and what to try about the first.
 */
export function readTogether<Parts extends readonly unknown[]>(
  ...reads: { readonly [Place in keyof Parts]: () => Parts[Place] }
): Parts {
  const problems: UsageError[] = [];
  const parts = reads.map((read: () => unknown) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error);
      return undefined;
    }
  });
  const [first, ...others] = problems;
  if (first === undefined) return parts as unknown as Parts;
  if (others.length === 0) throw first;
  const messages = [...new Set(problems.map(({ message }) => message))];
  const { tryNext = '' } = first;
  throw new UsageError(messages.join('; '), tryNext === '' ? {} : { tryNext });
}
