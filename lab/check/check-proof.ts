import type { Attribution } from '../model/saved/attribution.ts';
import type { Cited, Proof } from '../model/saved/proof.ts';
import { at, isSaid, parse, read, text, dateIn, type Files, type RawFact } from './read-record.ts';
import { findSender } from './sender.ts';
import { findGap } from './silence.ts';
import { WAYS, type Way } from './ways.ts';

/** What is wrong with a proof, and where. */
export type Problem = { readonly problem: string } & Partial<Pick<Cited, 'file' | 'line'>>;
type Answer = Attribution & { readonly proof: Proof };
type Claim = ReturnType<typeof openClaim>;
type Excluded = Proof['exclusions'][number];

/** Clocks of a node and of the lab are so far apart at most. */
const CLOCKS_MS = 500;
const STEPS = ['cause', 'request', 'signal', 'end', 'consequence'];
const tell = ({ step = '', says }: { step?: string; says: Cited['says'] }): string =>
  `${step} ${says.kind} ${JSON.stringify(says)}`;

/** Finds what the raw files of a cell do not bear out; nothing when they bear out all of the proof. */
export function checkProof(answer: Answer, contents: ReadonlyMap<string, string>): Problem[] {
  const files = new Map([...contents].map(([file, content]) => [file, content.trimEnd().split(/\r?\n/)]));
  const claim = openClaim(answer, files);
  for (const check of [checkVictim, checkLinks, checkWays, checkSilences, checkConfidence]) check(claim);
  return claim.problems;
}

/** The claim with the raw files, what both say of the victim, and what is wrong. */
function openClaim({ killer, confidence, doubts = [], open = [], proof }: Answer, files: Files) {
  const { victim, links, act } = proof;
  const pods = (files.get('pods.jsonl') ?? []).flatMap((_, index) => read(files, 'pods.jsonl', index + 1));
  const isOwn = (pod: RawFact): boolean =>
    pod.namespace === victim.namespace &&
    pod.pod === victim.pod &&
    victim.uids.every((uid) => JSON.stringify(pod).includes(uid));
  const own = pods.filter(isOwn);
  const states = own.filter((one) => one.name === victim.container && one.containerId === victim.containerId);
  const startedAt = states.flatMap((state) => dateIn(state.startedAt) ?? [])[0];
  const times = (step: string): number[] =>
    links.flatMap((link) => (link.step === step ? (dateIn(link.says.deletionAt ?? link.says.at) ?? []) : []));
  const actedAt = act?.act === 'lives' ? undefined : dateIn(act?.by?.says.at);
  const diedAt = actedAt ?? times('signal')[0] ?? times('end')[0];
  const cell = parse(files.get('cell.json')?.join('\n'));
  const endedAt = (killer === 'none' ? dateIn(cell.endedAt) : diedAt) ?? 0;
  const pid = victim.first?.says.pid;
  const id = victim.containerId || '(none)';
  const uids = victim.uids.flatMap((uid) => [uid, uid.replaceAll('-', '_')]);
  const exact = [id, `"pid":${pid},`, `rocess ${pid} `, `pid=${pid} `];
  const isOwnPath = (path: unknown): boolean => [id, ...uids].some((name) => text(path).includes(name));
  const problems: Problem[] = [];
  const demand = (holds: boolean, problem: string, cited?: Pick<Cited, 'file' | 'line'>): void => {
    if (!holds) problems.push({ problem, ...(cited && { file: cited.file, line: cited.line }) });
  };
  const told = { ...proof, killer, confidence, doubts, open, files, cell, problems, demand };
  return { ...told, own, states, startedAt, endedAt, times, pid, id, uids, exact, isOwnPath };
}

/** Who died, and the time in which sources must be whole. */
function checkVictim({ demand, victim, cell, life, ...claim }: Claim): void {
  const from = Math.max(claim.startedAt ?? 0, dateIn(cell.startedAt) ?? 0);
  const { container, namespace, first } = victim;
  demand(at(cell, 'victim/container') === container, 'the cell has another victim');
  demand(at(cell, 'victim/namespace') === namespace, 'the victim of the cell is in another namespace');
  demand(claim.own.length > 0, 'the API has no pod of this name and uid');
  demand(victim.containerId === '' || claim.states.length > 0, 'the API has no container of this id');
  demand(!first || claim.isOwnPath(first.says.cgroup), 'it is not its process', first);
  demand(Date.parse(life.from) <= from && Date.parse(life.to) >= claim.endedAt, 'its life was longer');
}

/** Each record is there and says that; they are in order; ids agree; the last act is what a record shows. */
function checkLinks({ demand, links, victim, act, files, ...claim }: Claim): void {
  const records = claim.exclusions.flatMap((excluded) => excluded.records ?? []);
  for (const cited of [victim.first, act?.by, ...links, ...records])
    if (cited) demand(isSaid(cited, files), `it does not say ${JSON.stringify(cited.says)}`, cited);
  for (const [index, link] of links.entries()) {
    const { says, step } = link;
    const before = links[index - 1] ?? link;
    const steps = STEPS.indexOf(step) - STEPS.indexOf(before.step);
    const isLater = (dateIn(before.says.at) ?? 0) <= (dateIn(says.at) ?? 0);
    demand(steps > 0 || (steps === 0 && isLater), 'it is out of order', link);
    if (step === 'cause' || step === 'consequence') continue;
    const [raw = {}] = read(files, link.file, link.line);
    const isOther = ![undefined, claim.pid].includes(says.pid) && claim.pid !== undefined;
    const isNamed = links.some(({ says: other }) => other.pid === says.pid && claim.isOwnPath(other.cgroup));
    const isOwn = isNamed || claim.isOwnPath(raw.target ?? raw.cgroup) || says.kind === 'stimulus';
    demand(!isOther || isOwn, 'it is about another process', link);
    demand([undefined, ...claim.uids].includes(says.uid), 'it is about another pod', link);
    demand([undefined, victim.containerId].includes(says.containerId), 'it is about another container', link);
  }
  const [askedAt, [signalAt = Infinity]] = [Math.min(...claim.times('request')), claim.times('signal')];
  demand(askedAt - CLOCKS_MS <= signalAt || askedAt === Infinity, 'nobody had asked before the signal');
  demand(
    !act || isAct(act.act, act.by?.says, { links, victim, ...claim }),
    'that was not the last act',
    act?.by,
  );
}

/** The record that shows an act which is no signal, as `kind fields`. */
const SHOWN: Readonly<Record<string, RegExp>> = {
  oom: /^kernel-killed/,
  itself: /^process-exited/,
  'node-gone': /^boot-ended/,
  'never-ran': /^pod-seen.*"reason":"\w*(?:Error|CannotRun)"/,
  lives: /^pod-seen.*"state":"running"/,
};

type Linked = Pick<Claim, 'links' | 'victim' | 'isOwnPath' | 'pid'>;

function isAct(
  act: string,
  says: Cited['says'] | undefined,
  { links, victim, isOwnPath, pid }: Linked,
): boolean {
  const group = links.find((link) => link.says.kind === 'kernel-group-kill' && isOwnPath(link.says.cgroup));
  const isFirst = [undefined, pid].includes(says?.pid) || (act === 'oom' && group !== undefined);
  const isShown = SHOWN[act]?.test(`${says?.kind} ${JSON.stringify(says)}`);
  return isFirst && (isShown ?? (says?.kind === 'signal-sent' && findSender(says, victim) === act));
}

/** Each way to the end but the named one is contradicted; of an answer that is not proven, some are open. */
function checkWays(claim: Claim): void {
  const { killer, demand, exclusions, act } = claim;
  if (killer === 'unknown') return;
  const left = [...exclusions.map(({ hypothesis }) => hypothesis), ...claim.open.map(({ what }) => what)];
  const named = WAYS.find((way) => way.killer === killer && !left.includes(way.what));
  const chain = claim.links.map(tell).join('\n');
  demand(named?.needs.every((need) => need.test(chain)) === true, `the chain is not that of ${killer}`);
  demand(!act || named?.acts.includes(act.act) === true, `the last act is not that of ${killer}`);
  for (const { what } of WAYS)
    demand(what === named?.what || left.includes(what), `nothing contradicts ${what}`);
  for (const excluded of exclusions) {
    const way = WAYS.find(({ what }) => what === excluded.hypothesis);
    const isContradicted = way !== undefined && isExcluded(excluded, way, claim);
    demand(isContradicted, `it is not contradicted: ${excluded.hypothesis}`, excluded.records?.[0]);
  }
}

function isExcluded({ ground, records = [], sources = [] }: Excluded, way: Way, claim: Claim): boolean {
  if (ground === 'act') return claim.act !== undefined && !way.acts.includes(claim.act.act);
  if (ground === 'explained') return way.residual !== undefined;
  if (ground === 'record')
    return records.length > 0 && records.every((record) => isForeign(record, records, way, claim));
  const names = way.sources.includes('kmsg') ? claim.exact : [...claim.exact, ...claim.uids];
  const isTrace = (line: string): boolean =>
    way.trace.test(line) && names.some((name) => line.includes(name));
  const counted = claim.silences.filter(({ about }) => about.includes(way.what));
  const raw = counted.flatMap((silence) => silence.files).flatMap((file) => claim.files.get(file) ?? []);
  const isTold = (source: string): boolean =>
    way.sources.includes(source) && counted.some((one) => one.source === source);
  return sources.length > 0 && sources.every(isTold) && !raw.some(isTrace);
}

/** What a record says that speaks against a way, where it need not be of somebody else. */
const AGAINST: Readonly<Record<string, RegExp>> = {
  none: /^(?:kernel-killed|process-exited)|"exitCode":|"state":"(?!running)/,
  'container-init-oom': /^(?!.*StartError)/,
  'self-exit': /^(?!.*"state":"terminated")/,
  'self-signal': /"signal":31[,}]/,
};

/** Whether a record that looks like the trace of a way is not: later, of somebody else, or with the words of another. */
function isForeign(
  { file, line, says }: Cited,
  all: readonly Cited[],
  { killer, needs }: Way,
  claim: Claim,
): boolean {
  const { links, victim, pid, states } = claim;
  const seenAt = dateIn(says.at) ?? 0;
  if (seenAt > claim.endedAt || AGAINST[killer]?.test(tell({ says }).trim()) === true) return true;
  if (/^(?:sandbox-died|runtime-lost|node-reboot)$/.test(killer)) {
    const isKilled = links.some((link) => link.says.kind === 'kernel-killed' && link.says.pid === says.pid);
    return (
      isKilled ||
      all.some((one) => one.says.actor !== undefined && findSender(one.says, victim) === 'runtime')
    );
  }
  if (killer === 'self-signal') return states.every(({ exitCode }) => exitCode !== 128 + (says.signal ?? 0));
  if (killer === 'runtime-stop')
    return claim.times('request').some((askedAt) => askedAt <= seenAt + CLOCKS_MS);
  if (killer === 'kubelet-cgroup-missing')
    return says.uid !== undefined || links.some((link) => link.file === file && link.line === line);
  const isOwn =
    [undefined, pid].includes(says.pid) && [undefined, victim.containerId].includes(says.containerId);
  return (
    !(killer in AGAINST) && (!isOwn || !needs.some((need) => need.test(tell({ step: 'request', says }))))
  );
}

/** Silences are earned. A decisive source may have a gap when the answer is not proven. */
function checkSilences(claim: Claim): void {
  const { demand, life, exact, uids, startedAt, victim } = claim;
  const endedAt = victim.containerId === '' || claim.killer === 'none' ? undefined : claim.endedAt;
  for (const silence of claim.silences) {
    const { source, files, from, to, about } = silence;
    const isCounted = about.length > 0 || claim.confidence === 'proven';
    const gap = isCounted
      ? findGap(silence, claim.files, { ids: [...exact, ...uids], startedAt, endedAt })
      : undefined;
    demand(gap === undefined, `its silence does not count: ${gap}`, { file: files[0] ?? source });
    demand(from === life.from && to === life.to, `the silence of ${source} is of another time`);
  }
}

/** Who observed what a link says. */
const OBSERVERS: readonly (readonly [RegExp, string])[] = [
  [/^(?:request|cause) pod-seen .*"(?:deletionAt|disruption":"(?!TerminationByKubelet))/, 'api'],
  [/^(?:request|cause) pod-seen |^\w+ (?:kubelet-said|node-seen|kube-event .*"actor":"kubelet")/, 'kubelet'],
  [/^\w+ pod-seen /, 'kubelet runtime'],
  [/^\w+ runtime-/, 'runtime'],
  [/^\w+ (?:kernel-|line)/, 'kernel log'],
  [/^\w+ (?:cgroup-|process-seen)/, 'cgroups'],
  [/^\w+ (?:signal-sent|process-exited|oom-victim|boot-ended)/, 'trace'],
  [/^/, 'others'],
];

/** Why an answer may not be so sure (docs/verdicts.md, "Confidence"). */
function checkConfidence(claim: Claim): void {
  const { killer, demand, links, pid, endedAt, victim } = claim;
  demand(
    (killer === 'unknown') === (claim.confidence === 'none'),
    'only an unknown killer has no confidence',
  );
  demand(claim.confidence !== 'likely' || claim.doubts.length > 0, 'nothing says why it is only likely');
  if (claim.confidence !== 'proven') return;
  const act = claim.act?.act ?? 'never-ran';
  const seenBy = links.map(
    (link) => OBSERVERS.find(([pattern]) => pattern.test(tell(link)))?.[1].split(' ') ?? [],
  );
  const isApart = seenBy.some((one) => seenBy.some((other) => !one.some((name) => other.includes(name))));
  const code =
    links.find((link) => link.step === 'end' && link.says.exitCode !== undefined)?.says.exitCode ?? 0;
  const hits = links.filter(
    (link) => link.step === 'signal' && /signal-sent|kernel-killed/.test(link.says.kind),
  );
  const { says: hit } = hits[0] ?? {};
  const isOfAll = links.some(({ says }) => says.kind === 'kernel-group-kill');
  const needed = act === 'node-gone' || killer === 'node-shutdown' ? ['trace'] : ['kmsg'];
  if (!['oom', 'lives', 'never-ran'].includes(act)) needed.push('trace');
  const records = readOfVictim(claim);
  const strangers = records.filter((says) => /outside|systemd/.test(findSender(says, victim)));
  const isStrange = strangers.some(
    ({ kind, actorPid }) => kind === 'signal-sent' && actorPid !== hit?.actorPid,
  );
  const isOom = records.some(({ kind }) => kind === 'kernel-oom-context');
  const asked = claim.own.flatMap(({ deletionAt }) => dateIn(deletionAt) ?? []);
  demand(claim.doubts.length + claim.open.length === 0, 'it is proven, and something is in doubt');
  demand(isApart, 'all records came through the same source');
  for (const source of needed) demand(claim.decisive.includes(source), `${source} is decisive`);
  for (const source of claim.decisive)
    demand(
      claim.silences.some((one) => one.source === source),
      `${source} is not counted on`,
    );
  demand(killer !== 'pids-limit', 'only time links the end to a refused fork');
  demand(killer !== 'self-exit' || (code < 128 && !isOom), 'it may have ended for a signal or an OOM kill');
  demand(
    killer !== 'external-signal' || code === 128 + (hit?.signal ?? 0),
    'its code is not that of the signal',
  );
  demand(act !== 'itself' || killer === 'self-exit', 'only time links the end to what came before');
  demand(act === 'lives' || isOfAll || [pid, undefined].includes(hit?.pid) || !pid, 'it hit another process');
  demand(
    killer !== 'api-deletion' || isAskedFirst(claim),
    'nothing tells whether the kubelet acted before',
    links[0],
  );
  demand(!isStrange, 'a signal from outside is not explained');
  demand(
    ['oom', 'runtime'].includes(act) || !asked.some((at) => at < endedAt - 2 * CLOCKS_MS),
    'somebody had asked',
  );
}

/** What kernel and witness say of the container until its end. */
function readOfVictim({ files, id, endedAt }: Claim): RawFact[] {
  const raw = [...files].filter(([file]) => /witness|kmsg/.test(file));
  const all = raw.flatMap(([file, lines]) =>
    lines.flatMap((line, index) => (line.includes(id) ? read(files, file, index + 1) : [])),
  );
  return all.filter((says) => Number(says.at) <= endedAt && text(says.target ?? says.cgroup).includes(id));
}

/** Whether a deletion came before the first act of the kubelet: a second, or as the API or the kubelet had said. */
function isAskedFirst({ links, files, victim }: Claim): boolean {
  const acts = links.filter(
    ({ step, says }) => step === 'request' && /illing/.test(says.quote ?? says.reason ?? ''),
  );
  const actedAt = Math.min(...acts.flatMap(({ says }) => dateIn(says.at) ?? []));
  const heard = [...files].flatMap(([file, lines]) =>
    lines.flatMap((line, index) =>
      line.includes('SyncLoop DELETE') && line.includes(victim.pod) ? read(files, file, index + 1) : [],
    ),
  );
  const seen = links.filter(({ says }) => says.deletionAt !== undefined);
  return (
    seen.some(
      ({ says }) =>
        (dateIn(says.deletionAt) ?? 0) + 2 * CLOCKS_MS <= actedAt || (dateIn(says.at) ?? 0) <= actedAt,
    ) || heard.some(({ at }) => Number(at) <= actedAt + CLOCKS_MS)
  );
}
