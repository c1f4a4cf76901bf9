import { namesOf } from '../../model/text/names-of.ts';
import type { SourceOf } from '../../model/evidence/evidence-files.ts';
import { shellQuote } from '../../model/text/shell.ts';

/**
 * What is asked of the journal. It is persistent, so one question after a reboot answers for both boots. The services
 * are chosen by the name that the kernel gives (`_COMM`): anybody may call himself anything in a message.
 */
const JOURNALS: Readonly<Record<SourceOf<'journal'>, string>> = {
  containerd: '-u containerd',
  kubelet: '-u kubelet',
  system: '_COMM=systemd _COMM=systemd-logind _COMM=systemd-oomd _COMM=earlyoom',
};

/** The files that are read from the journal. */
export const JOURNAL_SOURCES = namesOf(JOURNALS);

/** Written into the kernel log when the cell is over: a log that has it was read to its end. */
export const KMSG_END = 'whodunit: the cell is over';

/** A step of the script: bringing the journal up to date, reading one file of it, and the end of the kernel log. */
type JournalStep = 'sync' | SourceOf<'journal'> | 'end';

/** What a step printed, and what it complained of if it failed. */
export interface JournalAnswer {
  readonly text: string;
  readonly why?: string;
}

/** No line of a journal in JSON begins so. */
const STEP = '== ';
const STEP_LINE = new RegExp(`^${STEP}(\\S+) (\\d+) (.*)$`);

/**
 * Renders the script that is run in a node when a cell is over. It is one, because a shell and its connection take a quarter of
 * a second each in an emulated node. After each step it prints `== <step> <status> <errors>`; a step that fails does
 * not end it.
 *
 * @param since seconds since the epoch: what was written before is left out.
 */
export function renderJournalScript(since: string): string {
  const read = (source: SourceOf<'journal'>): string =>
    `journalctl ${JOURNALS[source]} -o json --no-pager --since "@${since}" ` +
    '--output-fields=MESSAGE,PRIORITY,_PID,_COMM,__REALTIME_TIMESTAMP,__MONOTONIC_TIMESTAMP';
  const steps: readonly (readonly [JournalStep, string])[] = [
    ['sync', 'journalctl --sync'],
    ...JOURNAL_SOURCES.map((source) => [source, read(source)] as const),
    ['end', `echo ${shellQuote(KMSG_END)} > /dev/kmsg`],
  ];
  return [
    '# the journals of a node',
    DEFINE_STEP,
    ...steps.map(([step, command]) => `step ${step} ${shellQuote(command)}`),
  ].join('\n');
}

/** The output of a step goes on to that of the script, and its errors into a variable. */
const DEFINE_STEP = `step() {
  local error status=0
  { error=$(eval "$2" 2>&1 >&3) || status=$?; } 3>&1
  printf '\\n${STEP}%s %s %s\\n' "$1" "$status" "\${error//$'\\n'/ }"
}`;

/** Reads what the script printed, as far as it came. */
export function parseJournalAnswers(printed: string): ReadonlyMap<string, JournalAnswer> {
  const answers = new Map<string, JournalAnswer>();
  let text = '';
  for (const line of printed.split('\n')) {
    const [, step, status, error = ''] = STEP_LINE.exec(line) ?? [];
    if (step === undefined) {
      if (line !== '') text += `${line}\n`;
      continue;
    }
    answers.set(step, { text, ...(status === '0' ? {} : { why: error.trim() || `exit code ${status}` }) });
    text = '';
  }
  return answers;
}
