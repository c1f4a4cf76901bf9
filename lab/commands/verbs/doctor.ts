import type { DoctorResult } from '../../model/saved/doctor.ts';
import { CommandError } from '../../model/errors/errors.ts';
import { DEFAULT_NEEDS, examineHost, repairHost, toDoctorResult } from '../../world/host/checks.ts';
import type { RunVerb } from '../context/context.ts';

/** `whodunit doctor`: checks the host; with `--fix` it repairs what it can first. */
export const runDoctor: RunVerb = async (context, _words, flags) => {
  let examined = await examineHost(context, DEFAULT_NEEDS);
  if (flags.fix === true) {
    try {
      examined = await repairHost(context, DEFAULT_NEEDS, examined);
    } catch (error) {
      if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
      context.progress.note(`the repair failed: ${error.message}`);
      examined = await examineHost(context, DEFAULT_NEEDS);
    }
  }
  const result = toDoctorResult(examined);
  return { status: result.ok ? 'passed' : 'host', json: result, table: () => formatDoctor(result) };
};

/** Formats the findings for a person, and ends with the next command. */
export function formatDoctor(result: DoctorResult): string {
  const width = Math.max(...result.checks.map(({ name }) => name.length));
  const lines = result.checks.flatMap(({ name, ok, found, why, fix }) => [
    `${ok ? '✓' : '✗'} ${name.padEnd(width)}  ${found}`,
    ...(why === undefined ? [] : [`  ${' '.repeat(width)}  why: ${why}`]),
    ...(fix === undefined ? [] : [`  ${' '.repeat(width)}  fix: ${fix}`]),
  ]);
  const bad = result.checks.filter(({ ok }) => !ok).length;
  const end =
    bad === 0 ? 'the host is ready: npx whodunit up' : `${bad} of ${result.checks.length} checks failed`;
  return [...lines, '', end].join('\n');
}
