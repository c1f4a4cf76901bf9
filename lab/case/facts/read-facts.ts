import type { CaseFact, FactName } from '../../model/saved/case.ts';
import type { Line } from '../../evidence/lines.ts';
import { KLOG_START } from '../../model/evidence/log-heads.ts';
import {
  isDenied,
  isEndOfGood,
  isFirstVersion,
  isGeneral,
  isOwed,
  isSpurious,
  noteOfWords,
  PROGRAMS,
  roleOfWords,
  settleFacts,
  type ReadFact,
  type WordsPlace,
} from './fact-roles.ts';
import type { FactRule } from './fact-rule.ts';
import { FACT_RULES } from './fact-rules.ts';
import { fieldOfFlag, KNOWN_REASONS, OOM_KILL } from './symptom-rules.ts';
import { lineAbove, type ReportPart } from './split-report.ts';
import { deriveOnce } from '../../judge/records/derive-once.ts';

/** So much of the text before some words tells their role, and twice as much behind them. */
const AROUND = 60;
/** A line longer than this is read up to here. */
const MOST_LETTERS = 4000;
/** So many facts of one name are kept, each value once: a paste of megabytes repeats itself. */
const MOST_OF_NAME = 12;

/** Reads what a report says, each fact with the words that it comes from. Every value of a name and role is there once. */
export function readReportFacts(parts: readonly ReportPart[]): CaseFact[] {
  const facts = new Map<string, ReadFact>();
  const counts = new Map<FactName, number>();
  let label = '';
  for (const part of parts) {
    let isOfClient = false;
    for (const [index, line] of part.lines.entries()) {
      const answered = joinLabel(label, part, line);
      if (line.text.trim() !== '') label = line.text;
      isOfClient = SIDE.exec(line.text)?.[1]?.startsWith('client') ?? isOfClient;
      for (const whole of factsOfLine(part, answered, lineAbove(part.lines, index))) {
        const read = isOfClient ? toClient(whole) : whole;
        const { name, value, role } = read.fact;
        const key = [
          name,
          value,
          role,
          read.isPrinted,
          read.isDenied,
          read.isFirst,
          read.isEndOfGood,
          read.isOfChild,
        ].join(' ');
        const count = counts.get(name) ?? 0;
        if (facts.has(key) || count >= MOST_OF_NAME) continue;
        facts.set(key, read);
        counts.set(name, count + 1);
      }
    }
  }
  return settleFacts([...facts.values()]);
}

/** How `kubectl version -o yaml`, or json, begins what it says of either side. */
const SIDE = /^\s*"?(clientVersion|serverVersion)"?:/;

/** What is said of the machine of whoever looks at the cluster is not said of the cluster. */
function toClient(read: ReadFact): ReadFact {
  const { fact } = read;
  return fact.name === 'kubernetes' || fact.name === 'platform'
    ? { ...read, fact: { ...fact, role: 'client' } }
    : read;
}

/** What a form asks for in one line, and is answered in the next one: a program with a version of its own. */
const ASKED = /\b(kubernetes|k8s|kubelet|containerd|runc|crun|cri-?o|docker|kernel|systemd)\b/i;
/** Nothing but a version, and what forms leave around it. */
const BARE_VERSION = /^\s*(?:[-*>]\s*)?[`"]?(v?\d[\w.+~-]*)[`"]?(?:\s+\([^()]*\))?\s*$/;
/** `  Version:  v1.6.8` below `containerd:`, as Docker and nerdctl print what they are made of. */
const FIELD_VERSION = /^\s+Version:\s+"?(v?\d[\w.+~-]*)"?\s*$/;
const PART_OF_OUTPUT = /^\s*(containerd|runc|crun|Engine|Server):\s*$/;
/** `docker info`, whose server is not that of Kubernetes. */
const SERVER = /^\s*Server Version:\s+(\d\S*)\s*$/;
const STORAGE = /^\s*Storage Driver:/;
const OF_DOCKER = /\bdocker version\b/;

/** Builds a function that looks at the lines of a part only once: a report may be one part of 100,000 lines. */
const hasLine = (words: RegExp): ((lines: readonly Line[]) => boolean) =>
  deriveOnce((lines: readonly Line[]) => lines.some(({ text }) => words.test(text)));

const isDockerInfo = hasLine(STORAGE);
const namesDocker = hasLine(OF_DOCKER);
/** `$ crio --version`, whose answer somebody wrote below the fence that was meant for it. */
const ASKS_PROGRAM = /^\s*\$ (?:\w+ --version|kubectl version|\w+ version)\b/;

/** The program that the line above a version names. */
function askedOf({ kind, heading, lead, lines }: ReportPart, label: string): string | undefined {
  if (kind === 'block') {
    const part = PART_OF_OUTPUT.exec(label)?.[1];
    if (part !== 'Server') return part === 'Engine' ? 'docker' : part;
    return OF_DOCKER.test(heading) || OF_DOCKER.test(lead) || namesDocker(lines) ? 'docker' : undefined;
  }
  if (/^\s*\$ kubectl\b/.test(label)) return 'kubernetes';
  return ASKED.exec(label)?.[1];
}

/** What the lines of a form say to those who fill it in. */
const HINT = /\((?:use|e\.?g)\b[^)]*\)/gi;

/** A version under the question of a form is that of what is asked for: `- Kubernetes version (use kubectl version):`. */
function joinLabel(label: string, part: ReportPart, line: Line): Line {
  const text = line.text.replaceAll(HINT, (hint) => ' '.repeat(hint.length));
  const server = SERVER.exec(text)?.[1];
  if (server !== undefined && isDockerInfo(part.lines)) return { ...line, text: `docker version ${server}` };
  const version = (part.kind === 'prose' ? BARE_VERSION : FIELD_VERSION).exec(text)?.[1];
  const isQuestion = /^\s*#/.test(label) || /:\s*$/.test(label) || ASKS_PROGRAM.test(label);
  const asked = isQuestion ? askedOf(part, label.replaceAll(HINT, '')) : undefined;
  return version === undefined || asked === undefined
    ? { ...line, text }
    : { ...line, text: `${asked} version ${version}` };
}

/** Images of programs, which have versions of their own; those of nodes and of Kubernetes are not meant. */
const IMAGE =
  /(?<![\w/.-])(?!\S*(?:kindest\/node|rancher\/k3s|hyperkube|kubelet:|kube-))(?:[\w.-]+(?::\d+)?\/)+[\w.-]+:v?\d[\w.-]*|\bimage:\s*\S+/g;

function* factsOfLine(part: ReportPart, line: Line, lineBefore: string): Generator<ReadFact> {
  // The words of an address are those of a page: letters keep their places.
  const blank = (words: string): string => ' '.repeat(words.length);
  const text = line.text
    .slice(0, MOST_LETTERS)
    .replaceAll(/\bhttps?:\/\/\S+/g, blank)
    .replaceAll(IMAGE, blank);
  if (text.trim() === '') return;
  const taken: [name: FactName, from: number, to: number][] = [];
  for (const rule of FACT_RULES) {
    if (rule.below !== undefined && !rule.below.test(part.heading)) continue;
    if (rule.name === 'setting' && LOG_LINE.test(text)) continue;
    for (const match of matchesOf(rule, text)) {
      if (isPlainWord(rule, match) || isOfOtherProgram(rule, match, text)) continue;
      if (rule.name === 'os' && OF_IMAGE.test(text.slice(0, match.index))) continue;
      const at = match.index + match[0].indexOf(match[1] ?? match[0]);
      const end = match.index + match[0].length;
      if (taken.some(([name, from, to]) => isSameKind(name, rule.name) && at < to && end > from)) continue;
      taken.push([rule.name, at, end]);
      // A sentence goes on in the next line, and not in one that names what it is about: `containerd: 2.1.5`.
      const above = OWN_NAME.test(text) ? '' : lineBefore.slice(-AROUND);
      const own = text.slice(0, at).replaceAll(/[ \t]{2,}/g, ' ');
      const before = `${above}\n${own}`.slice(-AROUND);
      const heading = `${part.heading}\n${part.lead}`;
      const place: WordsPlace = { heading, before, after: text.slice(end, end + 2 * AROUND) };
      if (COMES_WITH.test(place.after) && PROGRAMS.includes(rule.name)) continue;
      if (isGeneral(rule.name, own, place.after)) continue;
      if (rule.name === 'reason' && TEMPLATE.test(own) && !isDenied(place)) continue;
      const fact = toFact(part, line, rule, match, place);
      yield {
        fact,
        isPrinted: part.kind === 'block' && (rule.value !== OOM_KILL || OF_KERNEL.test(text)),
        isDenied: fact.role === 'absent' && (rule.role === 'absent' || isDenied(place) || isSpurious(place)),
        isFirst: isFirstVersion(rule.name, place),
        isEndOfGood: isEndOfGood(rule.name, place),
        isOfChild: rule.value === OOM_KILL && OF_CHILD.test(own),
      };
    }
  }
}

/** `docker run alpine`, `influxdb:1.2.4-alpine`: what comes then is an image. */
const OF_IMAGE =
  /\b(?:docker|podman|nerdctl|ctr|crictl|kubectl)\b[^|;&]*\srun\s|(?:^|[\s"'`=])[\w./-]+:\w[\w.-]*-$/;
/** `{{.State.OOMKilled}}` asks for a field, and does not answer. */
const TEMPLATE = /\{\{[^}]*$/;
/** Words of the kernel; what others print of an OOM kill is what they believe. */
const OF_KERNEL =
  /\boom-kill:|\binvoked oom-killer\b|\boom_kill|\bout of memory: kill|\bkilled as a result of limit\b/i;
/** `a child process OOM-killed`. */
const OF_CHILD = /\b(?:child|worker)(?: process(?:es)?)?(?: (?:is|was|gets?|being))?[ `]+$/i;
/** Output of a test that failed. */
const isFailedTest = hasLine(/^\s*--- FAIL: |^=== RUN\b/);
/** A line that has a name in front of its value. */
const OWN_NAME = /^\s*`?[\w./-]{2,30}`?:\s+\S/;
/** Words right behind a version that say what is new in it: `Kubernetes 1.29 (KEP-753) introduced …`. */
const COMES_WITH =
  /^\+?\s*(?:\([^)\n]*\)\s*|\)\s*)?(?:introduce[ds]?|added|graduated|promoted|brought|requires?|is required)\b/;

/** What a program logs of its work is not a setting of its own: `podActions="KillPod: false`. */
const LOG_LINE = new RegExp(String.raw`\b${KLOG_START}`);

/** Another version right behind, in the same sentence: `runc v1.1.14 works, but v1.2.0 hangs`, `from 1.0.3 to 1.1.0`. */
const NEXT_VERSION =
  /[^.;!?\d]{0,24}?(?:\b(?:to|and|but|or)\b|,|\/|->|→)\s*(?:(?:but|and|also|version)\s+)?v?(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)[\w.]*)?)(?![\w.]*\w)/y;

function* matchesOf(rule: FactRule, text: string): Generator<RegExpExecArray> {
  for (const match of text.matchAll(rule.words)) {
    yield match;
    if (!COMPONENTS.includes(rule.name)) continue;
    NEXT_VERSION.lastIndex = match.index + match[0].length;
    const next = NEXT_VERSION.exec(text);
    if (next !== null && !ASKED.test(next[0])) yield next;
  }
}

/** Programs of whose versions people write in a row. */
const COMPONENTS: readonly FactName[] = ['containerd', 'runc', 'crun', 'cri-o', 'docker'];

/** Words before a version that leave open whose it is; any other one is the name of a program. */
const SMALL_WORD =
  /^(?:on|in|at|to|from|since|with|versions?|releases?|of|and|or|is|was|running|runs?|k8s|kube\w*|server|cluster|nodes?|using|uses?|affects?|affected|both|also|until|before|after|for|than|like|tag|upgrad\w*|downgrad\w*|by|into|latest|current|old|new|behaviou?r|ready|only|still|works?|not|between|through|as|v|k3s|rke2|k0s)$/i;

/** A question for the version of another program, right before its answer. */
const OTHER_ASKED = /\b(?:containerd|runc|crun|cri-?o|docker|kernel|systemd) version\s+$/i;

/** `critest v1.36.0` is not a release of Kubernetes. */
function isOfOtherProgram({ isBare, below }: FactRule, match: RegExpExecArray, text: string): boolean {
  if (below !== undefined && OTHER_ASKED.test(text.slice(0, match.index))) return true;
  if (isBare !== true) return false;
  const word = /([A-Za-z][\w-]*)[`"')]*\s+$/.exec(text.slice(0, match.index))?.[1];
  return word !== undefined && !SMALL_WORD.test(word);
}

/** `evicted` in a sentence is a word of the language. As a reason it has its capital. */
function isPlainWord({ name, value }: FactRule, [words, said = words]: RegExpExecArray): boolean {
  return name === 'reason' && value === undefined && /^[a-z]+$/.test(said);
}

/** Words that say one version do not say another one. */
function isSameKind(one: FactName, other: FactName): boolean {
  return one === other || (PROGRAMS.includes(one) && PROGRAMS.includes(other));
}

function toFact(
  { file, lines }: ReportPart,
  { number, text }: Line,
  rule: FactRule,
  match: RegExpExecArray,
  place: WordsPlace,
): CaseFact {
  const ofTest = rule.ofFailedTest !== undefined && isFailedTest(lines) ? rule.ofFailedTest : undefined;
  const value = ofTest ?? rule.value ?? (match[1] ?? match[0]).trim();
  const words = match[0].trim().length < 8 ? text.trim().slice(0, 100) : match[0].trim().slice(0, 160);
  const base = { name: rule.name, words, file, line: number };
  const isMissed = rule.role === 'inferred' && rule.name === 'reason' && (isOwed(place) || isSpurious(place));
  const own = isMissed ? 'absent' : (rule.role ?? roleOfWords(rule.name, place));
  const read = rule.name === 'kubernetes' ? readRelease(value) : { value: tidyValue(rule.name, value) };
  const notes = ['note' in read ? read.note : undefined, noteOfWords(rule.name, place)];
  const note = notes.filter((one) => one !== undefined).join('; ');
  return { ...base, role: own, value: read.value, ...(note === '' ? {} : { note }) };
}

/** `1.30.4-gke.100`: what a vendor added to a release is not the release. */
function readRelease(written: string): Pick<CaseFact, 'value' | 'note'> {
  const [, minor] = /^(\d+\.\d+)\.\d{3,}/.exec(written) ?? [];
  // The project has never made a hundred patches of a release.
  if (minor !== undefined)
    return { value: minor, note: `${written} is of its vendor; the lab builds ${minor} of the project` };
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
  if (name === 'os' && /^[a-z]+$/.test(value)) return value.charAt(0).toUpperCase() + value.slice(1);
  if (name === 'os')
    return value
      .replaceAll(/\s+/g, ' ')
      .replace(/GNU\/Linux |(?<=^Debian )Linux /i, '')
      .replace(/release /i, '')
      .trim();
  if (name === 'reason') return REASONS.get(value.toLowerCase()) ?? value;
  if (name === 'setting') {
    const [field = '', setTo = ''] = value.replaceAll(/["'\s]|\.+$/g, '').split(/[=:]/);
    return `${fieldOfFlag(field)}: ${setTo}`;
  }
  if (name === 'signal') return SIGNALS[value.toLowerCase()] ?? value.toUpperCase();
  return value;
}

/** Reasons as Kubernetes spells them, by how people spell them. */
const REASONS = new Map(KNOWN_REASONS.map((reason) => [reason.toLowerCase(), reason]));

const SIGNALS: Readonly<Record<string, string>> = {
  killed: 'SIGKILL',
  terminated: 'SIGTERM',
  'segmentation fault': 'SIGSEGV',
  aborted: 'SIGABRT',
  'bus error': 'SIGBUS',
};
