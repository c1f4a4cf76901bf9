import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeRepro } from '../../../../lab/judge/compare/judge-repro.ts';
import { bugSchema } from '../../../../lab/model/declared/bug.ts';
import { autopsySchema, type Autopsy } from '../../../../lab/model/saved/autopsy.ts';
import { caseSchema } from '../../../../lab/model/saved/case.ts';
import { gateSchema } from '../../../../lab/model/saved/gate.ts';
import { proveSchema } from '../../../../lab/model/saved/prove.ts';
import { bisectSchema, differenceSchema } from '../../../../lab/model/saved/search.ts';
import { FORMAT_VERSION } from '../../../../lab/model/files/format-version.ts';
import { attributionSchema, cellSchema, runResultSchema } from '../../../../lab/model/saved/formats.ts';
import {
  renderAutopsyMarkdown,
  renderDeathsMarkdown,
} from '../../../../lab/report/markdown/render-autopsy-markdown.ts';
import {
  renderBisectMarkdown,
  renderDifferenceMarkdown,
} from '../../../../lab/report/markdown/render-bisect-markdown.ts';
import { renderCaseMarkdown } from '../../../../lab/report/markdown/render-case-markdown.ts';
import { renderDeaths } from '../../../../lab/report/markdown/render-deaths.ts';
import { renderGateMarkdown } from '../../../../lab/report/markdown/render-gate-markdown.ts';
import { renderStepSummary } from '../../../../lab/report/markdown/render-github.ts';
import { renderMarkdown } from '../../../../lab/report/markdown/render-markdown.ts';
import { renderProveMarkdown } from '../../../../lab/report/markdown/render-prove-markdown.ts';
import { renderReproMarkdown } from '../../../../lab/report/markdown/render-repro-markdown.ts';
import {
  codeBlock,
  escapeMarkdown,
  escapeProse,
  inlineCode,
  markdownRow,
} from '../../../../lab/report/text/markdown.ts';
import type { RecordedDeath } from '../../../../lab/report/words/recorded-death.ts';
import type { ReproCase } from '../../../../lab/report/words/repro-case.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { FULL_BISECT, FULL_CASE, FULL_DIFFERENCE, FULL_GATE, FULL_PROVE } from '../full-answers.ts';
import { createFullCell, replaceText, textsOf } from '../full-cell.ts';
import { createCell, createRunOf } from '../made-run.ts';
import { reproOf } from '../repro-cells.ts';
import { LIVE, readElements } from './markdown-elements.ts';

/** Texts that try to be more than a text. */
const ATTACKS = {
  heading: 'x\n\n# Forged\n\n## Forged\n\ny',
  'heading at the beginning': '# Forged',
  'heading below a line': 'x\n===\n',
  html: '<img src=x onerror=alert(1)><script>x</script><!-- -->',
  image: '![x](https://e.example/x.png)',
  link: '[x](https://e.example "y") [x][y]',
  reference: 'x\n\n[x]: https://e.example\n\n[^1]: y',
  address: 'see https://e.example/x, (http://e.example), www.e.example and ftp://e.example.',
  mail: 'mailto:some@e.example some.one@e.example',
  autolink: '<https://e.example> <some@e.example>',
  mention: 'cc @someone, (@some/team) and/@other',
  issue: 'some/repo#12 #13 GH-14',
  entity: '&lt;img src=x&gt; &#64;someone &commat;someone &#x3c;b>',
  cells: 'a | b \\| c \\\\| d |',
  'code of a cell': '`a | b` \\`|`',
  quotes: '`` a ` b ``` c',
  fence: 'x\n```\n# Forged\n~~~\n# Forged\n',
  'fence at the beginning': '```\n# Forged',
  list: '- x\n- y\n',
  'numbered list': '1. x\n2) y',
  'one more list': '+ x',
  quote: '> x',
  line: '---',
  'broken line': 'x  \ny\\\nz',
  emphasis: '~~x~~ **x** __x__ *x* _x_',
  task: '[x] x',
  formula: '$\\href{https://e.example}{x}$ $a b$',
  'mention behind code': '`` @some`one',
  'mention between code': '`a`@someone`b`',
  'letter that nobody sees': '@\u200bsomeone \u202eenoemos@ \u3164',
  'table of its own': 'x\n\n| a | b |\n|---|---|\n| c | d |\n\n',
  indented: '\n\n    code\n\n\tcode',
  details: '<details open><summary>x</summary>',
  'html without its end': '<!-- x\n\n<?x\n\n<![CDATA[x',
  'footnote with a link': 'x[^1]\n\n[^1]: https://e.example',
  alert: '> [!WARNING]\n> Forged',
  'reference with a script': "[x]: <javascript:alert(1)> 'y'\n\n[x]",
  'link behind backslashes': '\\\\[x](https://e.example)',
  'entity without its end': '&#64someone &#x40someone &ltimg src=x>',
  'entity of a line end': 'x&#10;&#10;# Forged',
  commit: 'some/repo@0123456789abcdef0123456789abcdef01234567',
  'line ends of Unicode': 'x\u2028# Forged\u2029# Forged\u0085# Forged\u000b# Forged\f# Forged',
  'return alone': 'x\r# Forged\r\r> y',
  diagram: 'x\n~~~mermaid\ngraph TD\n~~~',
  'name between isolates': '\u2066@\u2069someone',
  'address in capitals': 'HTTPS://E.EXAMPLE/X and WWW.E.EXAMPLE',
  'link over lines': '[x\ny](https://e.example\n"z")',
} as const;
const attacks = Object.entries(ATTACKS);

/** What a bug declares to be a link, and what tries to be more than one. */
const LINK_ATTACKS = [
  'https://github.com/![](https://e.example/x.png)@someone',
  'https://github.com/x)[y](https://e.example',
  'https://github.com/x><img/src=x>',
  'https://github.com|x|',
  'https://github.com/`x`<b>',
  'https://github.com@e.example/',
  'https://github.com/&lt;x',
  'https://github.com/**x**\u200b@someone',
  'https://github.com/a\\](b',
  'https://github.com/&#10;# Forged'.replace(' ', '%20'),
  'https://github.com/\u202egnp.x',
];

const run = createRunOf(
  (['passed', 'failed', 'skipped'] as const).map((verdict) => createFullCell(verdict)),
  { host: { cpus: 'x' } },
);

function createRepro(): ReproCase {
  const [affected, fixed] = [createFullCell('failed', 'affected'), createFullCell('passed', 'fixed')];
  const made = reproOf(affected, fixed);
  const compare = [{ measure: 'zombies', statistic: 'max', ratioAtLeast: 2, reason: 'a reason' }] as const;
  const problems = [{ problem: 'a problem', file: 'node-1/kmsg.log', line: 3 }];
  const cells = made.cells.map((side, index) => ({
    ...side,
    facts: { ...side.facts, 'a fact': 'x' },
    checked: index === 0 ? { ok: false, problems } : { ok: false, note: 'a note', problems: [] },
  }));
  return {
    ...made,
    ...judgeRepro(affected, fixed, [], compare),
    overrides: { affected: { os: 'sid' }, fixed: {} },
    cells,
  };
}

const death: RecordedDeath = {
  // The record of a real capture has more; the page reads only these.
  record: {
    ...({} as RecordedDeath['record']),
    address: 'default/x',
    scenario: 'x',
    variant: DEFAULT_VARIANT,
    startedAt: '2026-04-12T10:00:00.000Z',
  },
  attribution: createFullCell('failed').attribution,
  verdict: 'failed',
  words: {
    kernel: ['a word'],
    runtime: ['a word'],
    events: ['a word'],
    container: { state: 'waiting', reason: 'a reason', exitCode: 1, restarts: 1 },
    pod: ['a word'],
    signals: ['a word'],
  },
  versions: { kernel: '6', kubelet: '1', containerd: '2', runc: '1' },
  isReadBack: true,
};
const ended = {
  ...death,
  words: { ...death.words!, container: { ...death.words!.container!, state: 'terminated' as const } },
};

const autopsy: Autopsy = {
  formatVersion: FORMAT_VERSION,
  deaths: [
    {
      pod: 'web/a',
      container: 'a',
      node: 'node-1',
      at: '2026-04-12T10:00:00.000Z',
      attribution: createFullCell('failed').attribution,
      hypotheses: [{ what: 'a killer', state: 'open', why: 'a reason' }],
      claims: [{ layer: 'api', says: 'a claim', agrees: false }],
      next: [{ would: 'a record', decides: ['a killer'], command: 'a command', stillThere: 'for an hour' }],
      note: 'a note',
    },
  ],
  read: [{ file: 'a.log', format: 'a format', lines: 2, unread: 1 }],
  unknown: ['b.bin'],
  problems: ['a problem'],
};
const isAutopsy = (value: Autopsy): boolean => autopsySchema.safeParse(value).success;

/** A page, what it is made of, and whether a reader of saved files lets a value through. */
interface Page<T> {
  readonly value: T;
  readonly render: (value: T) => string;
  readonly isRead: (value: T) => boolean;
}
const page = <T>(value: T, render: (value: T) => string, isRead: (value: T) => boolean): Page<unknown> =>
  ({ value, render, isRead }) as Page<unknown>;

const accepts =
  (schema: { safeParse: (value: unknown) => { success: boolean } }) =>
  (value: unknown): boolean =>
    schema.safeParse(value).success;
const isRun = (value: typeof run): boolean => runResultSchema.safeParse(value).success;
const isRepro = ({ bug, cells }: ReproCase): boolean =>
  bugSchema.safeParse(bug).success && cells.every(({ cell }) => cellSchema.safeParse(cell).success);

const PAGES: Readonly<Record<string, Page<unknown>>> = {
  'report --format markdown': page(run, renderMarkdown, isRun),
  'the summary of a step': page(run, (value) => renderStepSummary(value), isRun),
  'the summary of a step that is too long': page(run, (value) => renderStepSummary(value, 9000), isRun),
  repro: page(createRepro(), renderReproMarkdown, isRepro),
  'autopsy --markdown': page(
    autopsy,
    (value) => renderAutopsyMarkdown(value) + renderDeathsMarkdown(value),
    isAutopsy,
  ),
  'report --table': page(
    { deaths: [death, ended], unrun: [{ address: 'v1/x', why: 'a reason' }] },
    ({ deaths, unrun }) => renderDeaths(deaths, unrun),
    ({ deaths }) => deaths.every(({ attribution }) => attributionSchema.safeParse(attribution).success),
  ),
  'gate --markdown, and gate.md': page(FULL_GATE, renderGateMarkdown, accepts(gateSchema)),
  'case --markdown': page(FULL_CASE, renderCaseMarkdown, accepts(caseSchema)),
  'bisect --markdown': page(FULL_BISECT, renderBisectMarkdown, accepts(bisectSchema)),
  'difference --markdown': page(FULL_DIFFERENCE, renderDifferenceMarkdown, accepts(differenceSchema)),
  'prove --markdown': page(FULL_PROVE, renderProveMarkdown, accepts(proveSchema)),
};

/** What of a forged page is more than the same page has with a harmless text. */
function findForged(harmless: string, forged: string, declared: readonly string[] = []): string[] {
  const [before, now] = [readElements(harmless), readElements(forged)];
  const kinds = Object.keys(now.counts).filter(
    (kind) => kind !== 'link' && (now.counts[kind] ?? 0) !== (before.counts[kind] ?? 0),
  );
  const links = now.links.filter((link) => !before.links.includes(link) && !declared.includes(link));
  return [...kinds, ...links, ...(now.prose.match(LIVE) ?? []), ...unseenOf(forged)];
}

function unseenOf(text: string): string[] {
  return text.match(/(?!\n)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu) ?? [];
}

/** Words of closed lists that no schema here checks. */
const CLOSED = /(?:^|\.)(?:role|outcome|accelerator|verdict|state|statistic|variant\.\w+)$/;

describe.each(Object.entries(PAGES))('the Markdown of %s', (_, { value, render, isRead }) => {
  const paths = textsOf(value).filter((path) => !CLOSED.test(path.join('.')));
  /** Places in which any text of a kind is read. */
  const listOpen = (kind: string): (readonly string[])[] =>
    paths.filter((path) => isRead(replaceText(value, path, () => kind)));
  const open = { text: listOpen('any text'), link: listOpen('https://e.example/x') };
  const renderAll = (kind: keyof typeof open, text: string): string =>
    render(open[kind].reduce((made, path) => replaceText(made, path, () => text), value));
  const plain = { text: renderAll('text', 'plain'), link: renderAll('link', 'https://e.example/x') };

  it('has many texts, and shows some of them', () => {
    expect(isRead(value)).toBe(true);
    const shown = open.text.filter(
      (path) => render(replaceText(value, path, () => 'plain')) !== render(value),
    );
    expect(shown.length).toBeGreaterThan(8);
  });

  it.each(attacks)('has no element of a text that is a %s', (_name, attack) => {
    expect(findForged(plain.text, renderAll('text', attack))).toEqual([]);
  });

  it.each(LINK_ATTACKS)('leads nowhere but to %s', (attack) => {
    expect(findForged(plain.link, renderAll('link', attack), [attack])).toEqual([]);
  });
});

describe('the names of a run', () => {
  it('are texts too: facts, versions and measures', () => {
    const made = createRepro();
    for (const [, attack] of attacks) {
      const withName = (name: string): string =>
        renderReproMarkdown({
          ...made,
          cells: made.cells.map((side) => ({ ...side, facts: { [name]: name } })),
          overrides: { affected: { [name]: name }, fixed: {} },
        });
      expect(findForged(withName('plain'), withName(attack))).toEqual([]);
    }
  });
});

describe('a text that is made of anything', () => {
  const pieces = [
    ...'`|\\*_[]()<>&#@!~$-+=.:1ax \n',
    '``',
    '```',
    '@x',
    'https://e.example',
    '&lt;',
    '<b>',
    '[x](y)',
  ];
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((all) => all.join(''));
  const frames: Readonly<Record<string, (text: string) => string>> = {
    'a cell of a table': (text) =>
      [
        markdownRow(['a', 'b', 'c']),
        '| --- | --- | --- |',
        markdownRow(['x', escapeMarkdown(text), 'y']),
      ].join('\n'),
    'code in a table': (text) =>
      [markdownRow(['a', 'b', 'c']), '| --- | --- | --- |', markdownRow(['x', inlineCode(text), 'y'])].join(
        '\n',
      ),
    'a paragraph': (text) => `x\n\n${escapeMarkdown(text)}\n\ny`,
    'an item': (text) => `- ${escapeMarkdown(`${text}.`)}\n- ${inlineCode(text)}`,
    'prose with code': (text) => `x\n\nz ${escapeProse(text)}\n\ny`,
    'a block of code': (text) => ['x', '', ...codeBlock([text, text]), '', 'y'].join('\n'),
  };

  it.each(Object.entries(frames))('is no element in %s', (_, frame) => {
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(text.trim() !== '');
        expect(findForged(frame('plain'), frame(text))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a text that nobody forged', () => {
  it('reads as it did', () => {
    expect(escapeMarkdown('exit 137, see kmsg.log:12 (a && b) 1 > 0 -5 %')).toBe(
      'exit 137, see kmsg.log:12 (a && b) 1 > 0 -5 %',
    );
    expect(escapeMarkdown('see (https://e.example/x), or @someone.')).toBe(
      'see (`https://e.example/x`), or `@someone`.',
    );
    expect(renderMarkdown(createRunOf([createCell('x')]))).toContain('| passed | `default/x` |');
  });
});
