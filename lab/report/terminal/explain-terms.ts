import type { ExplainResult } from '../../model/saved/answers.ts';
import { CONTAINER_REASONS } from '../../model/declared/container-reasons.ts';
import { EXIT_MEANINGS } from '../../model/errors/exit-status.ts';
import { COLLECTED, EVIDENCE_FILES } from '../../model/evidence/evidence-files.ts';
import { SIGNAL_NAMES, statusOfSignal } from '../../model/evidence/signals.ts';
import { GLOSSARY } from '../../model/text/glossary.ts';

type Entry = ExplainResult['entries'][number];

/** Words that are the same in every project and in every format: of the glossary, exit codes, signals, files of evidence. */
export function listTerms(): Entry[] {
  return [...ofGlossary(), ...ofReasons(), ...ofExitCodes(), ...ofSignals(), ...ofEvidence()];
}

function ofGlossary(): Entry[] {
  return GLOSSARY.flatMap(({ names, kind, says, source }) =>
    names.map((name) => ({ kind, name, text: [...says], source })),
  );
}

function ofReasons(): Entry[] {
  return Object.entries(CONTAINER_REASONS).map(([name, means]) => ({
    kind: 'reason',
    name,
    text: [
      `the status of an ended container says so in the API: ${means}`,
      'it is a claim of one layer, which may be wrong: it does not prove who killed',
    ],
    source: 'docs/verdicts.md',
  }));
}

function ofExitCodes(): Entry[] {
  return Object.entries(EXIT_MEANINGS).map(([code, means]) => ({
    kind: 'exit code of whodunit',
    name: code,
    text: [means],
    source: 'README.md#exit-codes',
  }));
}

/** A shell and a container runtime report 128 + n for an end by signal n. */
function ofSignals(): Entry[] {
  return Object.entries(SIGNAL_NAMES).flatMap(([number, name]): Entry[] => {
    const code = String(statusOfSignal(Number(number)));
    return [
      {
        kind: 'signal',
        name,
        text: [`signal ${number}; a container whose first process it ended has exit code ${code}`],
        source: 'https://man7.org/linux/man-pages/man7/signal.7.html',
      },
      {
        kind: 'exit code of a container',
        name: code,
        text: [
          `128 + ${number}: the first process was ended by ${name}, or has returned this number itself`,
          'it does not say who sent the signal, or why: that takes the other evidence',
        ],
        source: 'docs/verdicts.md',
      },
    ];
  });
}

function ofEvidence(): Entry[] {
  return Object.values(EVIDENCE_FILES).map(({ file, writtenBy, tells, collected, perNode }) => ({
    kind: 'file of evidence',
    name: file,
    text: [
      `${writtenBy}: ${tells}`,
      `${COLLECTED[collected]}; ${perNode ? 'one for each node, in a folder of its name' : 'one for the cell'}`,
    ],
    source: 'docs/run-folder.md',
  }));
}
