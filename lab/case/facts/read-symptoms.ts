import type { CaseFact } from '../../model/saved/case.ts';
import type { Line } from '../../evidence/lines.ts';
import { isListItem, lineAbove, type ReportPart } from './split-report.ts';
import { isHopeful } from './fact-roles.ts';
import { TRAITS } from '../../model/declared/traits.ts';
import { findTraitWords } from './traits.ts';

/** Lines of programs that say what went wrong. */
const ERROR =
  /\brpc error: |\berr(?:or)?="[^"]{8,}|\bfailed due to \w+|\bOCI runtime\b(?! spec)|\bfailed to \w+|\bcannot \w+ |(?<!\bmay be )\bunable to \w+|\bError: |\bfatal error: |\bpanic: |\btimed out\b|\bdeadline exceeded\b|\b(?:no space left|invalid argument|permission denied|operation not permitted|cannot allocate memory|no such file or directory|device or resource busy)\b/i;

/** Errors of one report that a reproduction must show: the first are those that its author means. */
const MOST_ERRORS = 4;
/** So many lines of a block are looked through for errors. */
const MOST_LINES = 20_000;

/** The traits that a report speaks of, and the errors that programs have printed in it. */
export function readSymptoms(parts: readonly ReportPart[]): CaseFact[] {
  return [...readTraits(parts), ...readErrors(parts)];
}

function readTraits(parts: readonly ReportPart[]): CaseFact[] {
  return TRAITS.flatMap((trait) => {
    for (const { file, lines } of parts.filter(({ heading }) => !isHopeful(heading)))
      for (const [index, { number, text }] of lines.entries()) {
        if (isRemedy(lines, index)) continue;
        const words = findTraitWords(trait, withoutAddresses(text.slice(0, 2000)));
        if (words !== undefined)
          return [
            { name: 'trait' as const, value: trait, role: 'affected' as const, words, file, line: number },
          ];
      }
    return [];
  });
}

/** Whether a line is in a list of what helps: `The following settings resolve the issue:`. */
function isRemedy(lines: readonly Line[], index: number): boolean {
  return isListItem(lines[index]?.text ?? '') && REMEDY.test(lineAbove(lines, index));
}

const REMEDY = /\b(?:re)?solv(?:es?|ed)\b|\bfix(?:es|ed)\b|\bwork ?arounds?\b|\bmitigat\w+/i;

/** The words of an address are those of a page. */
function withoutAddresses(text: string): string {
  return text.replaceAll(/\bhttps?:\/\/\S+/g, ' ');
}

function readErrors(parts: readonly ReportPart[]): CaseFact[] {
  const found = new Map<string, CaseFact>();
  for (const { file, kind, lines } of parts) {
    for (const { number, text } of lines.slice(0, MOST_LINES).flatMap((line) => printedIn(kind, line))) {
      if (found.size >= MOST_ERRORS) return [...found.values()];
      // A manifest and its comments say nothing of a run.
      if (!ERROR.test(text) || /^\s*#/.test(text)) continue;
      const value = maskMessage(text);
      if (value.length < 12 || found.has(value)) continue;
      found.set(value, {
        name: 'message',
        value,
        role: 'affected',
        words: text.trim().slice(0, 300),
        file,
        line: number,
      });
    }
  }
  return [...found.values()];
}

/** What a program has printed: a line of a block, and in prose what its author has put between backticks. */
function printedIn(kind: ReportPart['kind'], { number, text }: Line): { number: number; text: string }[] {
  if (kind === 'block' || PRINTED.test(text)) return [{ number, text }];
  const title = TITLE.exec(text)?.[1];
  if (title !== undefined) return [{ number, text: title }];
  const prose = text.slice(0, MOST_PROSE);
  return [...prose.matchAll(CODE), ...prose.matchAll(QUOTED)].map(([, printed = '']) => ({
    number,
    text: printed,
  }));
}

/** How lines begin, or what they have, that nobody writes by hand. */
const PRINTED =
  /^\s*(?:>\s*)*(?:Warning\s+\w+\s+(?:\d+[smhd]|kubelet\b)|Failed(?:[A-Z][a-z]+)+: (?=.*: )|Failed to \w+(?: \w+){1,4}: |Error(?: response from daemon)?: |[EF]\d{4} |FATA|ERRO|panic: |rpc error|OCI runtime(?! spec))|\brpc error: code =|\blevel=(?:error|fatal)\b|\berr="[^"]{8,}/;
/** A title that ends with what the kernel calls an error: the message is what comes after the name of what it is about. */
const TITLE =
  /^#\s+(?!.*\b(?:should|expect))(?:(?:(?![a-z]{3,}:\s)[^:])*:\s+)?(.{6,}: (?:no space left on device|invalid argument|permission denied|operation not permitted|cannot allocate memory|no such file or directory|device or resource busy))\W*$/i;
/** Code in a sentence, from one backtick to the next: short ones are matched too, lest the text between two be taken for code. */
const CODE = /`([^`]*)`/g;
/** What a sentence quotes as a message. */
const QUOTED = /\b(?:message|error)\b(?: \w+)? (?:is|was|says|reads):?\s+["“](.{12,})/gi;
/** Letters of a line of prose that are looked through. */
const MOST_PROSE = 4000;
/** Letters of a message that are compared: its end, which is the innermost error. */
const MOST_LETTERS = 90;
/** The error of a line of klog, logfmt or JSON. */
const MESSAGE_FIELD = /\bmessage="((?:[^"\\]|\\.)*)"/;
/** The same of a line that has an error of its own, which is the innermost. */
const ERROR_FIELD = /"?\b(?:err|error)"?\s*[=:]\s*"((?:[^"\\]|\\.)*)"/;

/** Words that a program quotes as the error of another one; a name is one word. */
const SENTENCE = /^[a-z][a-z'-]*(?: [a-z][a-z'-]*){2,}$/;

/** A message without what differs from run to run: names in quotes, ids, numbers, times. */
export function maskMessage(text: string): string {
  const plain = (ERROR_FIELD.exec(text)?.[1] ?? MESSAGE_FIELD.exec(text)?.[1] ?? text)
    .toLowerCase()
    // What follows an escaped end of a line is mostly a stack.
    .replace(/(?<=.{40})\\+n\S?.*$/s, '')
    .replaceAll(/\\+"/g, '"')
    .replaceAll(/"([^"]*)"/g, (_quoted, inner: string) => (SENTENCE.test(inner) ? inner : '#'))
    .replaceAll(
      /(?:\b|(?<=\bpod))[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}\b|\b[0-9a-f]{12,}\b/g,
      '#',
    )
    .replaceAll(/\d+/g, '#')
    .replaceAll(/[^a-z#/]+/g, ' ')
    .trim();
  return plain.length <= MOST_LETTERS ? plain : plain.slice(-MOST_LETTERS).replace(/^\S*\s/, '');
}
