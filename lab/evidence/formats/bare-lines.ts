import { GROUP, KILLED, OLD_CHOICE, OLD_KILLED, OLD_LIMIT, REAPED, SUMMARY } from '../kernel-oom-texts.ts';
import { formatOfLines, shareOf, type Format } from './format.ts';

/** Lines without a time, of which only the sentence itself tells who wrote it: nothing is known of when, and nothing follows from their order. */

const OF_KERNEL = [KILLED, OLD_KILLED, SUMMARY, GROUP, OLD_LIMIT, OLD_CHOICE, REAPED];

/** What the kernel says of an OOM kill, as `journalctl -k -o cat` prints it and as people quote it. */
export const bareKernel: Format = formatOfLines('journalctl -k -o cat', ({ number, text }) =>
  OF_KERNEL.some((sentence) => sentence.test(text))
    ? { kind: 'kernel', line: number, stamp: { cutMs: 0 }, text }
    : undefined,
);

/** kill.c and meminfo.c of earlyoom 1.3 to 1.9. */
const SENDS = /^sending SIG(?:TERM|KILL) to process \d+ uid \d+ "/;
const OF_EARLYOOM =
  /^(?:sending SIG|mem avail: +\d+ of|low memory! at or below |process \d+ (?:exited|did not)|earlyoom v?\d|kill failed: )/;

/** What earlyoom prints where no journal takes it. */
export const earlyoomLog: Format = {
  ...formatOfLines(
    'earlyoom',
    ({ number, text }) =>
      SENDS.test(text)
        ? { kind: 'program', line: number, stamp: { cutMs: 0 }, by: 'earlyoom', message: text }
        : undefined,
    (text) => OF_EARLYOOM.test(text) && !SENDS.test(text),
  ),
  classify: (lines) =>
    lines.some((text) => SENDS.test(text)) ? shareOf(lines, (text) => OF_EARLYOOM.test(text)) : 0,
};
