import type { Line } from '../lines.ts';

/** No tool prints a longer object, and parsing one would fill the memory. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Empty lines are not handed on, and those within a text of YAML are its line breaks. More than these are between objects. */
const MAX_EMPTY = 100;

/** A part of a file that is one object. */
export interface Part {
  readonly line: number;
  readonly text: string;
  /** The kind of the list that it is an item of; empty for one of its own. */
  readonly listKind: string;
}

/** Splits a text into its objects, line by line. */
export interface Splitter {
  /** `unread` is a line between two objects. */
  readonly add: (line: Line) => readonly Part[] | 'unread';
  readonly end: () => readonly Part[];
}

/** `[   12.345678] text` begins like a list. */
export function isLogLine(text: string): boolean {
  return /^\[ *[\dA-Z][^\]"]*\] ?\S/.test(text);
}

/** Collects the lines of one part; a part that is too long is dropped. */
function createPart(): {
  readonly add: (line: Line, text?: string) => void;
  readonly take: (listKind: string) => readonly Part[];
  readonly isEmpty: () => boolean;
} {
  let lines: string[] = [];
  let [first, size] = [0, 0];
  return {
    add: ({ number, text: whole }, text = whole) => {
      if (lines.length === 0) first = number;
      const skipped = number - first - lines.length;
      const empty = skipped > 0 && skipped <= MAX_EMPTY ? skipped : 0;
      size += text.length + empty;
      if (size > MAX_CHARACTERS) return;
      for (let index = 0; index < empty; index += 1) lines.push('');
      lines.push(text);
    },
    take: (listKind) => {
      const part =
        size > MAX_CHARACTERS || lines.length === 0
          ? []
          : [{ line: first, text: lines.join('\n'), listKind }];
      lines = [];
      size = 0;
      return part;
    },
    isEmpty: () => lines.length === 0,
  };
}

/**
 * Splits JSON into its objects: those of one line, those that end with a bracket in the first column, and the items of a list that
 * is printed with indentation.
 */
export function splitJson(): Splitter {
  const part = createPart();
  let listKind = '';
  /** Of the fields of the object that begins in the first column. */
  let level: string | undefined;
  let isInItems = false;
  let indent = '';
  const addItem = (line: Line): readonly Part[] => {
    const { text } = line;
    if (part.isEmpty()) {
      if (/^\s*\{$/.test(text)) {
        indent = /^\s*/.exec(text)?.[0] ?? '';
        part.add(line);
      } else if (/^[}\]]/.test(text)) {
        isInItems = false;
        listKind = '';
      }
      return [];
    }
    const isLast = text === `${indent}}` || text === `${indent}},`;
    part.add(line, isLast ? `${indent}}` : text);
    return isLast ? part.take(listKind) : [];
  };
  return {
    add: (line) => {
      const { text } = line;
      if (isInItems) return addItem(line);
      if (part.isEmpty()) {
        level = undefined;
        if (!/^\s*[{[]/.test(text) || isLogLine(text)) return 'unread';
        if (/^\{.*\}\s*$/s.test(text)) {
          part.add(line);
          return part.take('');
        }
      } else level ??= /^\s*/.exec(text)?.[0];
      const [, space, name, value] = /^(\s*)"(kind|items)": *(.*)$/.exec(text) ?? [];
      if (space === level && name === 'kind') listKind = /^"(\w*List)"/.exec(value ?? '')?.[1] ?? listKind;
      if (space === level && name === 'items' && value === '[') {
        part.take('');
        isInItems = true;
        return [];
      }
      part.add(line);
      return /^[}\]]\s*$/.test(text) ? part.take('') : [];
    },
    // What was cut off in the middle of an item says what is there of it.
    end: () => part.take(isInItems ? listKind : ''),
  };
}

/** A part is one object, up to where it is over. */
export function splitPart(): Splitter {
  const part = createPart();
  return {
    add: (line) => {
      part.add(line);
      return [];
    },
    end: () => part.take(''),
  };
}

/** Splits YAML into its documents, and lists into their items. */
export function splitYaml(): Splitter {
  const part = createPart();
  let listKind = '';
  let isInItems = false;
  /** Before the dash of an item: what is deeper is a list in an item. */
  let indent: string | undefined;
  const turn = (into: boolean): readonly Part[] => {
    const before = part.take(listKind);
    isInItems = into;
    indent = undefined;
    return before;
  };
  return {
    add: (line) => {
      const { text } = line;
      if (/^(?:---|\.\.\.)(?:\s|$)/.test(text)) {
        const before = turn(false);
        listKind = '';
        return before;
      }
      listKind = /^kind: (\w*List)\s*$/.exec(text)?.[1] ?? listKind;
      if (/^items:\s*$/.test(text)) {
        turn(true);
        return [];
      }
      const dash = isInItems ? /^( *)- /.exec(text)?.[1] : undefined;
      if (dash !== undefined && (indent ?? dash) === dash) {
        const before = part.take(listKind);
        indent = dash;
        part.add(line);
        return before;
      }
      if (isInItems && /^[a-z]\w*:/i.test(text)) return turn(false);
      // Files that somebody put behind each other have no line between them.
      if (text.startsWith('apiVersion:')) {
        const before = turn(false);
        listKind = '';
        part.add(line);
        return before;
      }
      part.add(line);
      return [];
    },
    end: () => part.take(listKind),
  };
}
