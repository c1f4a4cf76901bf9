import { compareAsWritten } from '../../model/variants/versions.ts';
import type { CaseFact, FactName, FactRole } from '../../model/saved/case.ts';

/** Where some words are. */
export interface WordsPlace {
  /** The heading above them. */
  readonly heading: string;
  /** What is right before them, and right after. */
  readonly before: string;
  readonly after: string;
}

/** Words around a version that say that it does not show the bug. */
const WORKS =
  /\b(?:works?|worked|working)\b(?! around)|(?<!\bshould )\bnot (?:affected|reproducible|happen\w*|observed|seen)|\brevert\w*(?: \w+){0,4} to\b|\broll\w* back(?: \w+){0,3} to\b|\bfixed (?:in|by|with|since)|\b(?:is|was|are) (?:fine|ok|okay)\b|\bfine (?:in|on|with)|\bdowngrad\w+ (?:\w+ ){0,3}to|\bprior to|\bbefore (?:version|upgrad\w+|v?\d)|\bup(?:grad|dat)\w+ (?:\w+ ){0,3}from\s*$|\bno (?:issue|problem)s? (?:in|on|with)|\bunlike\b|\bearlier (?:than|versions?)|\b(?:made (?:its|their) way|landed|shipped) (?:in|into|with)|\bforgot\b|\bmissing\b|\bhas to be\b/i;
/** What somebody is told to use instead. */
const MOVE = /\b(?:please|should|must|(?:need|have|advised) to)\s+(?:migrate|move|switch|upgrade) to\s*$/i;
/** Words right before a version that was left behind. */
const BEFORE =
  /\bup(?:grad|dat)\w+ (?:[\w.]+ ){0,5}\(?from\s+(?:[\w-]+\s+)?v?$|\bprior to\s+v?$|\bbefore\s+v?$/i;
/** Nobody has seen it there. */
const UNABLE = /\b(?:cannot|can['’]?t|could(?: not|n['’]t)|unable to|not able to)\s+(?:\w+\s+)?reproduce\b/i;
/** Words that say the contrary. */
const FAILS =
  /\b(?:does not|doesn't|do not|don't|did not|didn't|no longer|not|never|stop(?:s|ped)?|incorrect\w*) (?:\w+ )?work\w*|\bworks? (?:in)?correct\b|\bsince\b|\bstarting (?:with|from)|\baffect(?:s|ed)\b|\bfails?\b|\brepro\w*\b[^.\n]{0,20}\bworks?\b|\bbroken\b|\b(?:to|reproduce[ds]?) (?:\w+ ){0,2}$/i;
/** Words right after a version that does not show it. */
const WORKS_AFTER =
  /^\s*(?:and (?:below|earlier|older)|or (?:earlier|older)|works?\b|worked\b|pass(?:es|ed)\b(?! or)|reports? (?:it )?(?:just )?(?:fine|correctly)\b|is fine|was fine|\(works)/i;
/** What is written right before an output that does not show it: `working:`. */
const WORKING_LEAD =
  /^\W*(?:working|works|good|(?:not |un)affected)\W*$|\b(?:issue|problem|error|bug) (?:did|does) not (?:appear|occur|happen|show)\b/i;
/** Words right after a version that is only one of many. */
const NO_MATTER =
  /^(?:[^.;!?\n]|\.\w){0,100}\b(?:do|does|should)(?: not|n['’]t) (?:really |seem to )?matter\b/i;
/** A heading or a sentence right before a setting that was not there yet; a title `fix: …` is none. */
const LACKED =
  /\b(?:forgot\w*|missing|not configured|workaround|solution|fix(?:ed|es)?(?![:(])|after adding)\b|^(?:proposed )?changes\s*$/im;

/** What is between a negation and what it denies. */
const GAP = String.raw`(?:[\s"'\x60:>*-]|<string>|\b(?:an?|the|any|be|been|is|was|being|mention\w*|find|found|experienc\w*|report(?:ed|ing)|showing|marking|setting|returned|set|to|as|marked|shown|get|gets|getting|got|really|actually|even|see|say|of|container|pod|status|field|reason|due|because|caused|killed|by|related|an expected|expected)\b){0,10}`;
/** Words right before something that did not happen. */
const DENIED_BEFORE = new RegExp(
  String.raw`\bexpect(?:ed|ing)? to (?:see|get|have|receive|find)\b(?:(?!\b(?:when|if|after|once|while)\b)[^.,;\n]){0,40}$|(?:\b(?:no|not|never|without|neither|nor|rather than|instead of|should(?: be| have been| get| say| equal)?|supposed to|expected|(?<!\bun)expecting|to equal|to contain)|n['’]t)\b${GAP}$`,
  'i',
);
/** Words right after it. */
const DENIED_AFTER =
  /^["'`]{0,2}\s*[:=]\s*["']?false\b|^["'`*}]*(?:\s+(?:reason|status|event|state|flag|and|exit|code|\d+|is|was|are))*\s+(?:not|never)\s+(?:being\s+|been\s+)?(?:\w+ly\s+)?(?:set|reported|shown|mapped|detected|logged|propagated|surfaced|sent|emitted|visible|there)\b|^["'`*]*\s+(?:expected|is expected)\b|^[^.\n]{0,60}\bbut (?:this |it |that )?(?:does|is|did|was)(?: not|n['’]t)\b|^[^.\n]{0,60}\bbut (?:it |this |that |the \w+ )?(?:(?:just |still )?(?:seems? to )?(?:keeps? )?(?:run(?:s|ning)?|works?)\b)/i;
/** A wish: `Show SystemOOM in events`. */
const WISH = /^#*\s*(?:[\w/-]{1,20}: )?(?:show|surface|expose|support|report)\b[^.]*$/i;
/** A heading of a form under which something is that did not happen. */
const EXPECTATION = /\bexpect(?:ed|ation|ing)?\b|\bshould (?:happen|have)\b|\bdesired\b/i;
const SEEN = /\breceived\b|\bactual\b|\bobserved\b/i;
/** Words that end with what came instead. */
const BUT = /(?:^|[.;,]\s+)but\b[^.;]*\W*$/i;

/** Programs of whose versions people write. */
export const PROGRAMS: readonly FactName[] = [
  'kubernetes',
  'containerd',
  'runc',
  'crun',
  'runsc',
  'cri-o',
  'docker',
  'kernel',
  'systemd',
];
const HAVE_VERSIONS: readonly FactName[] = [...PROGRAMS, 'os', 'cgroup'];
const HAVE_SETTINGS: readonly FactName[] = ['setting', 'runtime driver'];
const HAVE_DRIVERS: readonly FactName[] = ['runtime driver', 'kubelet driver'];
/** Words of a sentence that say that nothing is wrong with what it is about. */
const WELL =
  /\b(?:not|n['’]t) (?:see|reproduc|happen|occur|observ|experienc)\w*|\bworks? (?:fine|well|as expected)\b|\bgoes away\b|\bdisappears?\b/i;
/** Where all is well, and what comes is what was missed elsewhere: `v1.11 reports just fine: …`. */
const FINE = /\breports? (?:it )?(?:just )?(?:fine|correctly)\b/i;
const MAY_BE_DENIED: readonly FactName[] = ['reason', 'exit code', 'signal', 'node'];

/** What a fact is to its report, by the words around it. */
export function roleOfWords(name: FactName, place: WordsPlace): FactRole {
  if (MAY_BE_DENIED.includes(name))
    return isDenied(place) || isHoped(place) || FINE.test(sentenceOf(place.before)) ? 'absent' : 'affected';
  if (HAVE_DRIVERS.includes(name) && WELL.test(sentenceOf(place.before))) return 'works';
  if (HAVE_SETTINGS.includes(name)) return LACKED.test(place.heading) ? 'works' : 'affected';
  if (!HAVE_VERSIONS.includes(name)) return 'affected';
  if (WORKING_LEAD.test(place.heading.replace(/^[^]*\n/, ''))) return 'works';
  // The words of another sentence are about something else, and so are those before a "but".
  const near = place.before.replace(/^[^]*(?:[.;!?]\s+|\bbut\s+)/, '');
  const later = place.after.replace(/[.;,!?]\s.*$/, '');
  if (BEFORE.test(near) || MOVE.test(near) || UNABLE.test(near)) return 'works';
  if (FAILS.test(near)) return 'affected';
  if (WORKS_AFTER.test(later)) return 'works';
  return WORKS.test(near) ? 'works' : 'affected';
}

/** What is before some words in their sentence. */
function sentenceOf(before: string): string {
  return before.replace(/^[^]*[.;!?]\W*\s+/, '');
}

/** What a reader must know of a version by the words behind it; undefined when they say nothing. */
export function noteOfWords(name: FactName, { after }: WordsPlace): string | undefined {
  return HAVE_VERSIONS.includes(name) && NO_MATTER.test(after)
    ? 'the report says that it does not matter'
    : undefined;
}

/** Whether words right beside them say that it did not happen. */
export function isDenied(place: WordsPlace): boolean {
  return isDeniedBefore(place) || DENIED_AFTER.test(place.after);
}

function isDeniedBefore({ before }: WordsPlace): boolean {
  // The name of a field may be a path: `.State.OOMKilled`.
  return DENIED_BEFORE.test(sentenceOf(before).replace(/\{*\.(?:\w+\.)*$/, ''));
}

/** Whether words before them say what ought to come: `should be OOM-killed`. */
export function isOwed({ before }: WordsPlace): boolean {
  return /\b(?:should|(?:supposed|expected|ought) to)\s+(?:have\s+)?(?:be|been|get)\s+$/i.test(before);
}

/** Whether words before a claim say that it is not true: `a spurious "OOM Killed"`. */
export function isSpurious({ before }: WordsPlace): boolean {
  return /\b(?:spurious|bogus|fake|false)\s+["'`]?$/i.test(before);
}

/** Who is meant by a sentence about all of them. */
const ALL =
  /(?:^|[,;.]\s+|\bso\s+)an? (?:container|pod|process|task) whose\b|\b(?:any|every|each) (?:[\w-]+ )?(?:container|pod|process|task)\b|\b(?:terminates?|kills?|ends?) (?:processes|containers|pods) (?:with|by)\s+["'`]?$/i;
/** `exit code 137 (or any other code)`. */
const ANY_OTHER = /^["'`]*\s*\(or any other\b/i;

/** Whether a sentence says how it always is, and not what happened. */
export function isGeneral(name: FactName, before: string, after: string): boolean {
  if (name !== 'exit code' && name !== 'signal') return false;
  return ALL.test(sentenceOf(before)) || ANY_OTHER.test(after);
}

/** Whether they are part of what somebody wished for. */
function isHoped({ heading, before }: WordsPlace): boolean {
  return isHopeful(heading) || WISH.test(before.replace(/^.*[.;!?\n]\s*/s, ''));
}

/** Whether what is below a heading is what somebody wishes for. */
export function isHopeful(heading: string): boolean {
  const said = heading.split('\n').filter((line) => !BUT.test(line));
  return EXPECTATION.test(said.join('\n')) && !SEEN.test(heading);
}

/** A fact, and how it is known. */
export interface ReadFact {
  readonly fact: CaseFact;
  /** A program has printed it. */
  readonly isPrinted: boolean;
  /** Words right beside it say that it did not happen. */
  readonly isDenied: boolean;
  /** The words say that it came with this version: `changed in v1.21.0`, `since 1.28`. */
  readonly isFirst: boolean;
  /** It is only the end of those that show no bug: `not in versions prior to 1.30`. */
  readonly isEndOfGood: boolean;
  /** It is said of a child: the container may end otherwise. */
  readonly isOfChild: boolean;
}

/** Words right before the first version that shows a bug. */
const FIRST =
  /\b(?:chang\w+|regress\w*|brok\w+|breaks|introduced|appear\w*|start\w*|began|stopped working|since|starting (?:with|from))\s+(?:\w+\s+){0,3}(?:in|with|since|at|from|as of)?\s*(?:version\s+|release\s+|kubernetes\s+|k8s\s+)?v?$/i;

/** Whether the words before a version say that it is the first one. */
export function isFirstVersion(name: FactName, { before, after }: WordsPlace): boolean {
  return HAVE_VERSIONS.includes(name) && (FIRST.test(before) || /^\+(?!\w)/.test(after));
}

/** Whether the words before a version say that older ones show no bug, and nothing of itself. */
export function isEndOfGood(name: FactName, { before }: WordsPlace): boolean {
  return (
    HAVE_VERSIONS.includes(name) && /\b(?:before|prior to|earlier than)\s+(?:version\s+)?v?$/i.test(before)
  );
}

/**
 * Facts without those that others of the report deny. What a program has printed counts most, then what the author denies,
 * then what he says in passing. A version before the first one that shows the bug does not show it.
 */
export function settleFacts(read: readonly ReadFact[]): CaseFact[] {
  const has = (name: string, value: string, test: (one: ReadFact) => boolean): boolean =>
    read.some((one) => one.fact.name === name && one.fact.value === value && test(one));
  const printed = (one: ReadFact): boolean => one.isPrinted && one.fact.role === 'affected';
  const denied = (one: ReadFact): boolean => one.isDenied;
  const works = (one: ReadFact): boolean => one.fact.role === 'works' && !one.isEndOfGood;
  const said = (one: ReadFact): boolean => one.fact.role === 'affected' && !one.isPrinted;
  const kept = read.filter((one) => {
    const { name, value, role } = one.fact;
    if (role === 'works' && one.isEndOfGood)
      return !has(name, value, (other) => other.fact.role === 'affected');
    if (role === 'affected' && has(name, value, works)) return one.isPrinted || one.isFirst;
    if (role !== 'absent' && one.isOfChild) return true;
    if (role === 'absent' && has(name, value, (other) => other.isOfChild)) return false;
    if (role !== 'absent') return one.isPrinted || role === 'works' || !has(name, value, denied);
    // What somebody wished for may be what he complains of elsewhere.
    return (
      !has(name, value, printed) && (one.isDenied || has(name, value, denied) || !has(name, value, said))
    );
  });
  const firsts = read.filter(({ fact, isFirst }) => isFirst && fact.role === 'affected');
  const own = kept.filter((one) => !isOfCrio(one, kept));
  // What a program has printed of itself comes before what is said of it.
  const sorted = own.toSorted((one, other) => orderOf(one) - orderOf(other));
  const settled = sorted.map(({ fact }): CaseFact => {
    const isOlder = firsts.some(
      ({ fact: first }) =>
        first.name === fact.name &&
        fact.role === 'affected' &&
        !first.value.startsWith(fact.value) &&
        compareAsWritten(fact.value, first.value) < 0,
    );
    return isOlder ? { ...fact, role: 'works' } : fact;
  });
  return settled.filter((fact, index) => !isSaidBetter(fact, settled) && isFirstOf(fact, index, settled));
}

/** Versions of Kubernetes that a program has printed, then those in sentences; the rest keeps its place. */
function orderOf({ fact, isPrinted }: ReadFact): number {
  return fact.name === 'kubernetes' && fact.role === 'affected' && !isPrinted ? 1 : 0;
}

/** CRI-O is numbered as Kubernetes is: a number that both have, and nobody calls one of Kubernetes, is of CRI-O. */
function isOfCrio({ fact }: ReadFact, all: readonly ReadFact[]): boolean {
  return (
    fact.name === 'kubernetes' &&
    !/kube|k8s|server|node/i.test(fact.words) &&
    all.some((other) => other.fact.name === 'cri-o' && other.fact.value === fact.value)
  );
}

/** `Bottlerocket` beside `Bottlerocket OS 1.19.1`. */
function isSaidBetter(fact: CaseFact, all: readonly CaseFact[]): boolean {
  const name = fact.value.split(' ')[0] ?? '';
  return (
    fact.name === 'os' &&
    !/\d/.test(fact.value) &&
    all.some((other) => other.name === 'os' && /\d/.test(other.value) && other.value.startsWith(name))
  );
}

function isFirstOf(fact: CaseFact, index: number, all: readonly CaseFact[]): boolean {
  return (
    all.findIndex(
      (other) => other.name === fact.name && other.value === fact.value && other.role === fact.role,
    ) === index
  );
}
