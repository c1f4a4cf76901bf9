import type { CaseFact, FactName, FactRole } from '../../model/saved/case.ts';
import type { Line } from '../../evidence/lines.ts';
import { FACT_RULES, type FactRule } from './fact-rules.ts';
import type { ReportPart } from './split-report.ts';

/** Words around a version that say that it does not show the bug. */
const WORKS =
  /\b(?:works?|worked|working)\b(?! around)|\bnot (?:affected|reproducible|happen\w*|observed|seen)|\brevert\w*(?: \w+){0,4} to\b|\broll\w* back(?: \w+){0,3} to\b|\bfixed (?:in|by|with|since)|\b(?:is|was|are) (?:fine|ok|okay)\b|\bfine (?:in|on|with)|\bdowngrad\w+ (?:\w+ ){0,3}to|\bprior to|\bbefore (?:version|upgrad\w+|v?\d)|\bup(?:grad|dat)\w+ (?:\w+ ){0,3}from\s*$|\bno (?:issue|problem)s? (?:in|on|with)|\bunlike\b|\bcannot reproduce|\bearlier (?:than|versions?)/i;
/** Words right before a version that was left behind. */
const BEFORE = /\bup(?:grad|dat)\w+ (?:\w+ ){0,5}from\s+(?:[\w-]+\s+)?v?$|\bprior to\s+v?$|\bbefore\s+v?$/i;
/** Words that say the contrary. */
const FAILS =
  /\b(?:does not|doesn't|do not|don't|did not|didn't|no longer|not|never|stop(?:s|ped)?|incorrect\w*) (?:\w+ )?work\w*|\bworks? (?:in)?correct\b|\bsince\b|\bstarting (?:with|from)|\baffect(?:s|ed)\b|\bfails?\b|\bbroken\b|\b(?:to|reproduce[ds]?) (?:\w+ ){0,2}$/i;

/** So much of the text around some words tells their role. */
const AROUND = 60;
/** A line longer than this is read up to here. */
const MOST_LETTERS = 4000;
/** So many facts of one name are kept, each value once: a paste of megabytes repeats itself. */
const MOST_OF_NAME = 12;

/** Reads what a report says, each fact with the words that it comes from. Every value of a name and role is there once. */
export function readReportFacts(parts: readonly ReportPart[]): CaseFact[] {
  const facts = new Map<string, CaseFact>();
  const counts = new Map<FactName, number>();
  for (const part of parts)
    for (const line of part.lines)
      for (const fact of factsOfLine(part, line)) {
        const key = `${fact.name} ${fact.value} ${fact.role}`;
        const count = counts.get(fact.name) ?? 0;
        if (facts.has(key) || count >= MOST_OF_NAME) continue;
        facts.set(key, fact);
        counts.set(fact.name, count + 1);
      }
  return [...facts.values()];
}

function* factsOfLine(part: ReportPart, line: Line): Generator<CaseFact> {
  // The words of an address are those of a page: letters keep their places.
  const text = line.text
    .slice(0, MOST_LETTERS)
    .replaceAll(/\bhttps?:\/\/\S+/g, (url) => ' '.repeat(url.length));
  if (text.trim() === '') return;
  const taken: [name: FactName, from: number, to: number][] = [];
  for (const rule of FACT_RULES) {
    if (rule.below !== undefined && !rule.below.test(part.heading)) continue;
    for (const match of text.matchAll(rule.words)) {
      const at = match.index + match[0].indexOf(match[1] ?? match[0]);
      const end = match.index + match[0].length;
      if (taken.some(([name, from, to]) => isSameKind(name, rule.name) && at < to && end > from)) continue;
      taken.push([rule.name, at, end]);
      yield toFact(part, line, rule, match, {
        before: text.slice(Math.max(0, at - AROUND), at),
        after: text.slice(end, end + AROUND),
      });
    }
  }
}

/** Words that say one version do not say another one. */
function isSameKind(one: FactName, other: FactName): boolean {
  const isVersion = (name: FactName): boolean =>
    ['kubernetes', 'containerd', 'runc', 'crun', 'runsc', 'cri-o', 'docker', 'kernel', 'systemd'].includes(
      name,
    );
  return one === other || (isVersion(one) && isVersion(other));
}

function toFact(
  { file }: ReportPart,
  { number, text }: Line,
  rule: FactRule,
  match: RegExpExecArray,
  around: { readonly before: string; readonly after: string },
): CaseFact {
  const value = rule.value ?? (match[1] ?? match[0]).trim();
  const words = match[0].trim().length < 8 ? text.trim().slice(0, 100) : match[0].trim().slice(0, 160);
  const base = { name: rule.name, words, file, line: number };
  const own = rule.role ?? roleOf(rule.name, around);
  if (rule.name === 'kubernetes') return { ...base, role: own, ...readRelease(value) };
  return { ...base, role: own, value: tidyValue(rule.name, value) };
}

const HAVE_ROLES: readonly FactName[] = [
  'kubernetes',
  'containerd',
  'runc',
  'crun',
  'runsc',
  'kernel',
  'systemd',
  'os',
  'cgroup',
];

function roleOf(name: FactName, { before, after }: { before: string; after: string }): FactRole {
  if (!HAVE_ROLES.includes(name)) return 'affected';
  // The words of another sentence are about something else.
  const near = before.replace(/^.*[.;!?]\s+/, '');
  const later = after.replace(/[.;,!?]\s.*$/, '');
  if (BEFORE.test(near)) return 'works';
  if (FAILS.test(near)) return 'affected';
  if (
    /^\s*(?:and (?:below|earlier|older)|or (?:earlier|older)|works?\b|worked\b|is fine|was fine|\(works)/i.test(
      later,
    )
  )
    return 'works';
  return WORKS.test(near) ? 'works' : 'affected';
}

/** `1.30.4-gke.100`: what a vendor added to a release is not the release. */
function readRelease(written: string): Pick<CaseFact, 'value' | 'note'> {
  const [, release = written, added] = /^(\d+\.\d+(?:\.\d+)?)(?:[-+](.+))?$/.exec(written) ?? [];
  if (added === undefined) return { value: release };
  const isEarly = /^(?:alpha|beta|rc)/.test(added);
  return {
    value: isEarly ? `${release}-${added}` : release,
    note: isEarly
      ? `${written} is before the release ${release}`
      : `${added} is of its vendor; the lab builds ${release} of the project`,
  };
}

function tidyValue(name: FactName, value: string): string {
  if (name === 'os' && !/^[a-z]+$/.test(value))
    return value
      .replaceAll(/\s+/g, ' ')
      .replace(/GNU\/Linux /i, '')
      .replace(/release /i, '')
      .trim();
  if (name === 'os' && /^[a-z]+$/.test(value)) return value.charAt(0).toUpperCase() + value.slice(1);
  if (name === 'setting') return value.replaceAll(/["'\s]/g, '').replace(/[=:]/, ': ');
  if (name === 'signal') return SIGNALS[value.toLowerCase()] ?? value.toUpperCase();
  return value;
}

const SIGNALS: Readonly<Record<string, string>> = {
  killed: 'SIGKILL',
  terminated: 'SIGTERM',
  'segmentation fault': 'SIGSEGV',
  aborted: 'SIGABRT',
  'bus error': 'SIGBUS',
};
