import fc from 'fast-check';
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { disarmMarkup, disarmText } from '../../../../lab/model/text/log-commands.ts';
import { plainJson, plainText } from '../../../../lab/model/text/plain-text.ts';
import { html } from '../../../../lab/report/text/html.ts';
import { CI_ATTACKS, commandsIn } from './ci-runners.ts';

const ATTACKS = Object.entries(CI_ATTACKS);
/** Pieces of which a text may become a command of some CI system. */
const PIECES = [
  '#',
  '##',
  '[',
  ']',
  ':',
  '::',
  'vso',
  'teamcity',
  'error',
  'section_start',
  '1',
  ' ',
  '\n',
  '\r',
];
const UNSEEN = ['\u200b', '\u034f', '\u3164', '\ufeff', '\u0085', '\u00a0', '\u001b'];
const texts = fc.array(fc.constantFrom(...PIECES, ...UNSEEN), { maxLength: 12 }).map((all) => all.join(''));

/** As the door of standard output and standard error prints a text (lab/commands/context/context.ts). */
const toLog = (text: string): string => disarmText(plainText(text));

describe('a text in the log of a CI system', () => {
  it.each(ATTACKS)('is a command before, and none after: %s', (_, text) => {
    expect(commandsIn(text)).not.toEqual([]);
    expect(commandsIn(toLog(text))).toEqual([]);
  });

  it('is none, whatever it is made of', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(commandsIn(toLog(text))).toEqual([]);
      }),
    );
  });

  it('stays as it is where no runner would obey it', () => {
    const text = 'a::b ## title #[x] # ::c::\nstd::string key: value\n## [x]\nsection_start of x';
    expect(disarmText(text)).toBe(text);
  });
});

describe('JSON in the log of a CI system', () => {
  it.each(ATTACKS)('means the same, and is no command: %s', (_, text) => {
    const value = { [text]: [text, { text }] };
    for (const json of [plainJson(JSON.stringify(value, null, 2)), plainJson(JSON.stringify(value))]) {
      expect(commandsIn(json)).toEqual([]);
      expect(JSON.parse(json)).toEqual(value);
      expect(disarmText(plainText(json))).toBe(json);
    }
  });

  it('is none, whatever it is made of', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const json = plainJson(JSON.stringify([text], null, 2));
        expect(commandsIn(json)).toEqual([]);
        expect(JSON.parse(json)).toEqual([text]);
      }),
    );
  });
});

describe('HTML and XML in the log of a CI system', () => {
  it.each(ATTACKS)('mean the same, and are no command: %s', (_, text) => {
    const page = html`<p title="${text}">${text}</p>`.text;
    expect(commandsIn(page)).toEqual([]);
    expect(disarmText(plainText(page))).toBe(page);
    const parser = new XMLParser({ ignoreAttributes: false, trimValues: false, htmlEntities: true });
    const seen = plainText(text);
    expect(parser.parse(page)).toEqual({ p: { '#text': seen, '@_title': seen } });
  });

  it('keep what is escaped already', () => {
    expect(disarmMarkup('<a>&#35;#[x]&amp;</a>')).toBe('<a>&#35;#[x]&amp;</a>');
  });
});
