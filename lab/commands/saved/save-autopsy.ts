import { answer, type AutopsyQuestion } from '../../autopsy/answer.ts';
import type { KeptFile } from '../../drivers/bundles/keep-files.ts';
import { beginFolder, type NewFolder } from '../../drivers/bundles/saved-folder.ts';
import { addNamesIn, createPseudonyms, namesInRecords } from '../../evidence/bundle/pseudonyms.ts';
import { readBundle, type ReadBundle } from '../../evidence/bundle/read-bundle.ts';
import { redactEvidence } from '../../evidence/bundle/redact-bundle.ts';
import { redactWords } from '../../evidence/bundle/redact-words.ts';
import { linesOfStream } from '../../evidence/lines.ts';
import { findWindow, type Window } from '../../evidence/bundle/window.ts';
import type { ClockOptions } from '../../evidence/bundle/zones.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { Autopsy } from '../../model/saved/autopsy.ts';
import { SAVED_AUTOPSY, type Redaction, type SavedAutopsy } from '../../model/saved/saved-autopsy.ts';
import type { Change } from '../../model/saved/again.ts';
import { compareAutopsies } from './compare-autopsies.ts';

/** An autopsy that is to be saved. */
export interface ToSave {
  readonly folder: string;
  /** All files that were read, in their order. */
  readonly kept: readonly KeptFile[];
  readonly bundle: ReadBundle;
  readonly autopsy: Autopsy;
  readonly question: AutopsyQuestion;
  readonly options: ClockOptions;
  readonly redact: Redaction;
}

/**
 * Saves the files that were evidence, without known kinds of secrets, so that they can be judged again. The saved
 * answer is that of the saved files. They have only the lines around the deaths and about who died. If the answer needs
 * more, all lines are saved.
 *
 * @throws UsageError when the saved files give another answer: then nothing is saved.
 */
export async function saveAutopsy(to: ToSave): Promise<SavedAutopsy> {
  const window = findWindow(to.bundle, to.autopsy.deaths);
  const around = window === undefined ? undefined : await trySave(to, window).catch(undefinedIfRefused);
  if (around !== undefined && around.change === undefined) return around.saved;
  const { saved, change } = await trySave(to, undefined);
  if (change === undefined) return saved;
  throw refuseOther(change, to);
}

/** An attempt to save. */
interface SaveAttempt {
  readonly saved: SavedAutopsy;
  /** How its answer differs from the original one; undefined when it is the same, and the folder was written. */
  readonly change: Change | undefined;
}

/** Returns undefined for a UsageError: the lines around the deaths do not answer the question. */
function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof UsageError)) throw error;
}

/** Fills a new folder, and keeps it only if its answer is the original one. */
async function trySave(to: ToSave, window: Window | undefined): Promise<SaveAttempt> {
  const folder = beginFolder(to.folder);
  try {
    const saved = await fill(folder, to, window);
    const change = findChange(to.autopsy, saved.answer);
    if (change !== undefined) return { saved, change };
    folder.write(SAVED_AUTOPSY, `${JSON.stringify(saved, null, 2)}\n`);
    folder.finish();
    return { saved, change };
  } finally {
    folder.close();
  }
}

/** Writes the redacted files into a folder, and answers the question by them. */
async function fill(folder: NewFolder, to: ToSave, window: Window | undefined): Promise<SavedAutopsy> {
  const { bundle, question, options, redact } = to;
  const { files, redacted, leftOut } = writeRedacted(folder, to, window);
  const hide = redact === 'strict' ? hideNames(folder, files, bundle) : redactName;
  const hidden = {
    isList: question.isList === true,
    ...(question.pod === undefined ? {} : { pod: hide(question.pod) }),
    ...(question.container === undefined ? {} : { container: hide(question.container) }),
    ...(question.node === undefined ? {} : { node: hide(question.node) }),
    ...(question.attempt === undefined ? {} : { attempt: question.attempt }),
  };
  const named = files.map(({ saved, path }) => ({ saved, path: hide(redactName(path)) }));
  const again = await readBundle(
    named.map(({ saved, path }) => ({ path, lines: linesOfStream(pieceOf(folder.read(saved))) })),
    options,
  );
  return {
    formatVersion: FORMAT_VERSION,
    redact,
    isWhole: window === undefined,
    question: hidden,
    options: {
      ...(options.timezone === undefined ? {} : { timezone: options.timezone }),
      ...(options.year === undefined ? {} : { year: options.year }),
    },
    files: named,
    leftOut: leftOut.map(hide),
    redacted,
    answer: answer(again, hidden),
  };
}

/** The files that were saved. */
interface WrittenFiles {
  readonly files: { readonly saved: string; readonly path: string }[];
  readonly redacted: SavedAutopsy['redacted'];
  readonly leftOut: string[];
}

/** Writes the evidence without secrets. Only one file is in memory at a time. */
function writeRedacted(
  folder: NewFolder,
  { kept, autopsy }: ToSave,
  window: Window | undefined,
): WrittenFiles {
  const evidence = new Set(autopsy.read.map(({ file }) => file));
  const written: WrittenFiles = { files: [], redacted: [], leftOut: [] };
  for (const { path, bytes } of kept) {
    if (!evidence.has(path)) continue;
    const content = bytes();
    if (content === undefined) {
      written.leftOut.push(`${redactName(path)} is larger than what is saved of one file`);
      continue;
    }
    const saved = `files/${String(written.files.length + 1).padStart(4, '0')}-${plainName(path)}`;
    const counts = new Map<string, number>();
    const count = (rule: string): unknown => counts.set(rule, (counts.get(rule) ?? 0) + 1);
    const text = redactEvidence(content.toString('utf8'), path, count, window);
    if (text === undefined) continue;
    folder.write(saved, text);
    written.files.push({ saved, path });
    for (const [rule, count] of counts) written.redacted.push({ file: saved, rule, count });
  }
  return written;
}

/** Returns the last part of a path, in characters that are safe in a file name on any system. */
function plainName(path: string): string {
  const name = redactName(path)
    .replaceAll(/[^\w./-]/g, '_')
    .split('/')
    .at(-1);
  return (name ?? '').replace(/^[.-]+/, '').slice(-60) || 'file';
}

function redactName(name: string): string {
  return redactWords(name, () => undefined);
}

/**
 * Replaces names by pseudonyms in every saved file, after the names in all files were collected.
 *
 * @returns the function that replaces them in a text.
 */
function hideNames(
  folder: NewFolder,
  files: WrittenFiles['files'],
  { observations, sources }: ReadBundle,
): (text: string) => string {
  const names = namesInRecords(observations, sources);
  for (const { saved } of files) addNamesIn(folder.read(saved), names);
  const hide = createPseudonyms(names);
  for (const file of files) folder.write(file.saved, hide(folder.read(file.saved)));
  return hide;
}

async function* pieceOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Returns the first change of a field that must not change by saving. */
function findChange(before: Autopsy, now: Autopsy): Change | undefined {
  return compareAutopsies(before, now).find(({ field }) =>
    /(?:^|: )(?:deaths|killer|confidence|level)$/.test(field),
  );
}

/** The error for files that would give another answer: a wrong answer is worse than none. */
function refuseOther({ field, before, now }: Change, { redact }: ToSave): UsageError {
  return new UsageError(
    `what had to be taken out changes the answer (${field}: ${before} -> ${now}): nothing was saved`,
    {
      tryNext:
        redact === 'strict'
          ? 'leave --redact strict out, and look at what is saved before you pass it on'
          : 'name fewer files: those of its node and of its pod',
    },
  );
}
