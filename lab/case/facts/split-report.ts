import { classify, HEAD_LINES } from '../../evidence/formats/classify.ts';
import type { Line } from '../../evidence/lines.ts';

/** A file that somebody pasted. */
export interface ReportFile {
  readonly path: string;
  readonly text: string;
}

/** Some lines of a report that belong together. */
export interface ReportPart {
  readonly file: string;
  /** `block`: what a program printed, or a manifest. */
  readonly kind: 'prose' | 'block';
  /** The headings above it, the nearest last. */
  readonly heading: string;
  /** What its author writes right before it; of prose, nothing. */
  readonly lead: string;
  readonly lines: readonly Line[];
}

/** What follows backticks on their line has none: else it is code in a sentence, as CommonMark has it. In a list it is indented. */
const FENCE = /^\s{0,12}(`{3,}(?=[^`]*$)|~{3,}|`{1,2}(?=\s*$))/;
/** What a form of Kubernetes asks for in a fence is written by its author. */
const NOTE = /`{3,}\s*release-note\b/;
/** A shell waits: what comes after the line is the answer of another command. */
const PROMPT = /^\s*(?:\$\s+\S|[\w.-]+@[\w.-]+[^$#]*[$#]\s+\S)/;
/** What forms of trackers print for their readers: it says nothing of the node. */
const FORM =
  /^\s*(?:#\s*On (?:Linux|Windows|Mac\w*)\b|C:\\>|#\s*paste output here|<\/?details>|<\/?summary>|labels:\s)|^[\w.-]+\/[\w.-]+ · (?:issue|pull request) #\d|^[\w[\] ().-]+ · (?:description|comment|review(?: thread)?) · \d{4}-/i;
/** `**What happened**:`, as older forms have it. */
const BOLD_HEADING = /^\*\*[^*]{3,60}\*\*:?\s*$/;

/** Splits a report into what its author writes and what programs have printed. A log or a manifest is one block. */
export function splitReport({ path, text }: ReportFile): ReportPart[] {
  const lines = numberLines(blankComments(text.replace(/^\uFEFF/, '')));
  if (!lines.some((line) => FENCE.test(line.text)) && isOneBlock(lines, path))
    return [{ file: path, kind: 'block', heading: '', lead: '', lines }];
  return [...splitMarkdown(path, lines)];
}

/** HTML comments are hints of forms; line numbers stay. */
function blankComments(text: string): string {
  return text.replaceAll(/<!--[^]*?(?:-->|$(?![^]))/g, (comment) => comment.replaceAll(/[^\n]/g, ''));
}

function numberLines(text: string): Line[] {
  return text.split(/\r?\n/).map((line, index) => ({ number: index + 1, text: line, cut: false }));
}

function isOneBlock(lines: readonly Line[], path: string): boolean {
  const head = lines.filter((line) => line.text.trim() !== '').slice(0, HEAD_LINES);
  return head.length > 0 && isProgram(head, path);
}

function isProgram(lines: readonly Line[], path: string): boolean {
  const texts = lines.slice(0, HEAD_LINES).map((line) => line.text);
  return classify(texts, path) !== undefined || texts.some((text) => /^\s*"?apiVersion"?:\s*\S/.test(text));
}

/** Code of several lines between single backticks is short. */
const MOST_SPAN = 40;

function closesSoon(lines: readonly Line[], index: number, mark: string): boolean {
  return lines.slice(index + 1, index + 1 + MOST_SPAN).some(({ text }) => text.trim() === mark);
}

function* splitMarkdown(file: string, lines: readonly Line[]): Generator<ReportPart> {
  let heading = '';
  let fence: string | undefined;
  let fenced: ReportPart['kind'] = 'block';
  let lead = '';
  let kept: Line[] = [];
  const part = (kind: ReportPart['kind']): ReportPart[] => {
    const own = kept.filter((line) => !FORM.test(line.text));
    kept = [];
    if (own.every((line) => line.text.trim() === '')) return [];
    // A log that nobody fenced is a log all the same.
    const isBlock = kind === 'block' || isProgram(own, file);
    const made: ReportPart = {
      file,
      heading,
      lead: isBlock ? lead : '',
      kind: isBlock ? 'block' : 'prose',
      lines: own,
    };
    if (!isBlock) lead = own.at(-1)?.text ?? '';
    return [made];
  };
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line.text)?.[1];
    if (fence !== undefined) {
      const closes = mark !== undefined && mark.startsWith(fence) && line.text.trim() === mark;
      if (closes || PROMPT.test(line.text)) yield* part(fenced);
      if (closes) fence = undefined;
      else kept.push(line);
    } else if (mark !== undefined && (mark.length > 2 || closesSoon(lines, index, mark))) {
      yield* part('prose');
      fence = mark;
      fenced = NOTE.test(line.text) ? 'prose' : 'block';
    } else if (/^#{1,6}\s/.test(line.text) || BOLD_HEADING.test(line.text)) {
      yield* part('prose');
      heading = line.text.replace(/^#+\s*/, '').replaceAll('**', '');
      lead = '';
      kept.push(line);
    } else if (line.text.trim() === '') yield* part('prose');
    else kept.push(line);
  }
  yield* part(fence === undefined ? 'prose' : fenced);
}

const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s/;

/** Whether a line is an item of a list. */
export function isListItem(text: string): boolean {
  return LIST_ITEM.test(text);
}

/** The line that a line goes on: of an item of a list the one that introduces the list. */
export function lineAbove(lines: readonly Line[], index: number): string {
  let above = index - 1;
  if (isListItem(lines[index]?.text ?? '')) while (isListItem(lines[above]?.text ?? '')) above -= 1;
  return lines[above]?.text ?? '';
}
