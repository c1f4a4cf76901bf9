import type { Attribution } from '../model/saved/attribution.ts';
import type { Cited, Proof } from '../model/saved/proof.ts';
import { at, cellOf, dateIn, findGap, isSaid, linesOn, text, type Files, type RawFact } from './raw-files.ts';
import tables from './tables.json' with { type: 'json' };
import { fitting, join, WAYS, type Way } from './match-tables.ts';

/** What is wrong with a proof, and where. */
export type Problem = { readonly problem: string } & Partial<Pick<Cited, 'file' | 'line'>>;
type Answer = Attribution & { readonly proof: Proof };
type Claim = ReturnType<typeof openClaim>;
type Excluded = Proof['exclusions'][number];

/** Clocks of a node and of the lab are so far apart at most. */
const CLOCKS_MS = 500;
/** What the kubelet, or who is at the runtime, says when it begins to end a container. */
const ACTED = /^request (?:kube|run).*(?:illing|Evicted|DeadlineExceeded|StopContainer)/;
const tell = (says: RawFact): string => `${text(says.kind)} ${JSON.stringify(says)}`;

/** Finds what the raw files of a cell do not bear out; nothing when they bear out all of the proof. */
export function checkProof(answer: Answer, contents: ReadonlyMap<string, string>): Problem[] {
  const files = new Map([...contents].map(([file, content]) => [file, content.trimEnd().split(/\r?\n/)]));
  const claim = openClaim(answer, files);
  const traces = findTraces(claim);
  const checks = [checkVictim, checkLinks, checkAct, checkWays, checkSilences, checkConfidence];
  for (const check of checks) check(claim, traces);
  return claim.problems;
}

/** The claim with the raw files, what both say of the victim, and what is wrong. */
function openClaim({ proof, doubts = [], open = [], ...answer }: Answer, files: Files) {
  const { victim, links, act } = proof;
  const { namespace, pod, container, containerId, first } = victim;
  const cell = cellOf(files);
  const [id, whole] = [containerId || '(none)', `${namespace}/${pod}`];
  const uids = victim.uids.flatMap((uid) => [uid, uid.replaceAll('-', '_')]);
  const isOwnPath = (path: unknown): boolean => [id, ...uids].some((name) => text(path).includes(name));
  // Where nobody saw its processes, the kernel names the one that it took in the cgroup.
  const taken = links.find(({ says }) => says.kind === 'kernel-oom-context' && says.cgroup?.includes(id));
  const killed = links.find(({ says }) => taken && says.kind === 'kernel-killed');
  const pid = [first, taken, killed].find((one) => one?.says.pid)?.says.pid;
  const exact = [id, `"pid":${pid},`, `rocess ${pid} `, `pid=${pid} `];
  const kmsg = [...(containerId ? exact : uids), ...tables.faults];
  // A mirror of a static pod has the container of others as well, and its end is nobody's.
  const few = new Map(Object.entries({ pods: uids.map((uid) => `"uid":"${uid}"`), kmsg, cri: [container] }));
  const seen = ['witness', 'kmsg'].flatMap((source) => linesOn(files, source, [id]));
  // A signal names the process that it is for, and not always its cgroup.
  const inside = seen.filter((one) => isOwnPath(one.target ?? one.cgroup));
  const { pids, added } = membersOf(inside, pid, first?.says);
  const numbers = [first?.says.parent, ...pids].map((one) => `"pid":${String(one)},`);
  // klog quotes a pod; older releases did not where there are several.
  const listed = ['\\"', ']', ' '].map((end) => whole + end);
  const names = [...exact, ...uids, ...listed, ...numbers];
  const facts = tables.sources.flatMap((source) => linesOn(files, source, few.get(source) ?? names));
  // Of a victim whose API is gone, the kubelet has the pod and the runtime has the container.
  const isOnNode = at(cell, 'victim/onNode') === victim.pod && !files.has('pods.jsonl');
  const isOwn = (says: RawFact): boolean =>
    (isOnNode ? says.kind === 'kubelet-said' : `${text(says.namespace)}/${text(says.pod)}` === whole) &&
    [...victim.uids, isOnNode ? whole : ''].every((name) => JSON.stringify(says).includes(name));
  const own = facts.filter(isOwn);
  const told = isOnNode ? facts : own;
  const states = told.filter((one) => one.name === container && text(one.containerId) === containerId);
  const [startedAt = 0] = states.flatMap((state) => dateIn(state.startedAt) ?? []);
  const steps = links.map(({ step, says }) => `${step} ${mark(says, proof)}`);
  const timesOf = (words: RegExp): number[] => {
    const found = links.filter((_, index) => words.test(steps[index] ?? ''));
    return found.flatMap(({ step, says }) => (step === 'request' ? askedAt(says) : (dateIn(says.at) ?? [])));
  };
  const signals = timesOf(/^signal/);
  const byAct = act?.act === 'lives' ? undefined : dateIn(act?.by?.says.at);
  const [diedAt = 0] = [byAct ?? [], signals, timesOf(/^end/)].flat();
  const endedAt = answer.killer === 'none' ? (dateIn(cell.endedAt) ?? 0) : diedAt;
  const actedAt = Math.min(...timesOf(ACTED), ...signals, endedAt);
  const stoppedAt = Math.min(...timesOf(/^request runtime-stop/), ...signals, endedAt);
  // An earlier pod of that name had a deletion of its own.
  const heard = facts.find((one) => one.kind === 'kubelet-heard' && Number(one.at) >= startedAt);
  const isGroup = links.some(({ says }) => says.kind === 'kernel-group-kill' && isOwnPath(says.cgroup));
  const left = [...proof.exclusions.map(({ hypothesis }) => hypothesis), ...open.map(({ what }) => what)];
  const named = WAYS.find((way) => way.killer === answer.killer && !left.includes(way.what));
  const problems: Problem[] = [];
  const demand = (holds: boolean, problem: string, cited?: Pick<Cited, 'file' | 'line'>): void => {
    if (!holds) problems.push({ problem, ...(cited && { file: cited.file, line: cited.line }) });
  };
  // Of a container that lives, or never ran, nothing has the end.
  const isOver = containerId !== '' && !['none', 'container-init-oom'].includes(answer.killer);
  const overAt = isOver ? endedAt : 0;
  const said = { ...answer, ...proof, doubts, open, files, cell, problems, demand, steps, left, named };
  const found = { facts, own, states, timesOf, heard, startedAt, endedAt, actedAt, stoppedAt, overAt };
  return { ...said, ...found, names, id, uids, pid, pids, added, isGroup, isOwnPath };
}

/** Pids of the processes in the cgroup of a container, and of these what somebody added. */
function membersOf(inside: readonly RawFact[], pid: number | undefined, first: RawFact | undefined) {
  const pids = new Set<unknown>([first?.pid, ...inside.map((one) => one.pid)]);
  // What was added, as by kubectl exec, is a child of the shim, or descends from one: the first process knows nothing of it.
  const added = new Set<unknown>([first?.parent].filter((shim = 0) => Number(shim) > 1));
  for (const { pid: one, nsPid, parent } of inside)
    if (![pid, nsPid].includes(one) && added.has(parent)) added.add(one);
  return { pids, added };
}

/** A record in words: all that it says, whose limit it is about, and who sent a signal from where (docs/verdicts.md, "Identity"). */
function mark(says: RawFact, { victim, links }: Pick<Proof, 'victim' | 'links'>): string {
  const { uids, containerId, first } = victim;
  const levelOf = (path: string): string => {
    const isIn = (name: string): boolean => name !== '' && path.replaceAll('_', '-').includes(name);
    const told = join(path, { 'in the container': isIn(containerId), 'in the pod': uids.some(isIn) });
    return fitting('levels', told)[0] ?? '';
  };
  const [isSignal, isOom] = [says.kind === 'signal-sent', says.kind === 'kernel-oom-context'];
  const from = text(says.actorCgroup);
  const sent = join(`${text(says.actor)} in ${from} sent ${String(says.signal)}`, {
    'by the kernel': says.code === 128,
    'for itself': says.code === -2 || says.actorPid === says.pid,
    'for a reason of the target': Number(says.code) > 0,
    'from inside': containerId !== '' && from.includes(containerId),
    'as init': says.actorPid === 1,
    'as shim': says.actorPid === first?.says.parent,
    'when asked': links.some(({ step }) => step === 'request'),
  });
  return join(tell(says), {
    'its shim': says.pid !== undefined && says.pid === first?.says.parent,
    [`limit of ${levelOf(text(isOom ? says.limitOf : says.cgroup))}`]:
      isOom || Number(at(says, 'values/oom')) > 0,
    [`from ${levelOf(from)}`]: isSignal,
    [`by ${fitting('senders', sent)[0] ?? ''}`]: isSignal,
  });
}

/** Who died, and the time in which sources must be whole. */
function checkVictim({ demand, victim, cell, life, ...claim }: Claim): void {
  const from = Math.max(claim.startedAt, dateIn(cell.startedAt) ?? 0);
  const { container, namespace, containerId, first } = victim;
  const isAsked = at(cell, 'victim/container') === container && at(cell, 'victim/namespace') === namespace;
  demand(isAsked, 'the cell has another victim');
  demand(claim.own.length > 0, 'the API has no pod of this name and uid');
  demand(containerId === '' || claim.states.length > 0, 'the API has no container of this id');
  demand(!first || claim.isOwnPath(first.says.cgroup), 'it is not its process', first);
  demand(Date.parse(life.from) <= from && Date.parse(life.to) >= claim.endedAt, 'its life was longer');
}

/** Each record is there and says that; they are in order; ids agree. */
function checkLinks({ demand, links, exclusions, victim, act, files, timesOf, ...claim }: Claim): void {
  for (const cited of [victim.first, act?.by, ...links, ...exclusions.flatMap(({ records = [] }) => records)])
    if (cited) demand(isSaid(cited, files), `it does not say ${JSON.stringify(cited.says)}`, cited);
  for (const [index, link] of links.entries()) {
    const { says, step } = link;
    const before = links[index - 1] ?? link;
    const steps = tables.steps.indexOf(step) - tables.steps.indexOf(before.step);
    const isLater = (dateIn(before.says.at) ?? 0) <= (dateIn(says.at) ?? 0);
    demand(steps > 0 || (steps === 0 && isLater), 'it is out of order', link);
    if (step === 'cause' || step === 'consequence' || says.kind === 'stimulus') continue;
    const isFirst = [undefined, claim.pid ?? says.pid].includes(says.pid);
    demand(isFirst || claim.pids.has(says.pid), 'it is of another process', link);
    demand([undefined, victim.node, ...claim.uids].includes(says.uid), 'it is about another pod', link);
    demand([undefined, victim.containerId].includes(says.containerId), 'it is about another container', link);
  }
  // What was written in a second before the start is about the container that was there before.
  demand(Math.min(...timesOf(/^request kube-event/)) + 1000 > claim.startedAt, 'it is of a life before');
  const [firstAt, [signalAt = Infinity]] = [Math.min(...timesOf(/^request/)), timesOf(/^signal/)];
  demand(firstAt - CLOCKS_MS <= signalAt || firstAt === Infinity, 'nobody had asked before the signal');
}

/** The last act is what a record shows: a signal of that sender, or another record of that act. */
function checkAct({ act, pid, demand, ...claim }: Claim): void {
  const { says = { kind: '' } } = act?.by ?? {};
  const isFirst = [undefined, pid].includes(says.pid) || (act?.act === 'oom' && claim.isGroup);
  const isShown = act && isFirst && fitting('acts', mark(says, claim)).includes(act.act);
  demand(isShown ?? true, 'that was not the last act', act?.by);
}

/**
 * The chain is that of the killer, with its way and level. Each way to the end but the named one is contradicted; of an answer
 * that is not proven, some are open.
 */
function checkWays(claim: Claim, traces: readonly string[]): void {
  const { killer, how, level, demand, exclusions, act, links, steps, left, named } = claim;
  for (const excluded of exclusions) {
    const way = WAYS.find(({ what }) => what === excluded.hypothesis);
    const isContradicted = way !== undefined && isExcluded(excluded, way, traces, claim);
    demand(isContradicted, `it is not contradicted: ${excluded.hypothesis}`, excluded.records?.[0]);
  }
  if (killer === 'unknown') return;
  const chain = steps.join('\n');
  demand(!how || fitting('hows', chain).includes(how), `the chain does not say how: ${how}`, links[0]);
  const isHit = killer.includes('oom') && chain.includes(`; limit of ${level}`);
  demand(!level || isHit, `the limit of the ${level} was not hit`, links[0]);
  demand(named?.needs.every((need) => need.test(chain)) === true, `the chain is not that of ${killer}`);
  demand(!act || named?.acts.includes(act.act) === true, `the last act is not that of ${killer}`);
  for (const { what } of WAYS) demand(what === named?.what || left.includes(what), `what of ${what}?`);
}

/** All that was said of the victim in its life, in any source. */
function findTraces(claim: Claim): string[] {
  const { facts, startedAt, cell, endedAt, victim } = claim;
  const from = startedAt || (dateIn(cell.startedAt) ?? 0);
  return facts.flatMap((fact) => {
    const [time, isEvent] = [Number(fact.at), fact.kind === 'kube-event'];
    // Times of events are cut to seconds; the API keeps why a pod ended.
    const isBefore = time + (isEvent ? 1000 : CLOCKS_MS) <= from;
    if (isBefore || (time > endedAt + 2000 && fact.kind !== 'pod-seen')) return [];
    // Where the kubelet logged what it says in an event, the line has the time, and the id.
    const isLogged = ({ kind, name, at: lineAt }: RawFact): boolean =>
      kind === 'kubelet-stop' && name === victim.container && Math.abs(Number(lineAt) - time - 500) <= 500;
    const line = (isEvent && facts.find(isLogged)) || fact;
    return describe({ ...fact, at: line.at, containerId: line.containerId }, claim);
  });
}

function isExcluded(excluded: Excluded, way: Way, traces: readonly string[], claim: Claim): boolean {
  const { ground, records = [], sources = [] } = excluded;
  if (ground === 'act') return claim.act !== undefined && !way.acts.includes(claim.act.act);
  const isWhole = (source: string): boolean => findGap({ ...claim.life, source }, claim) === undefined;
  const isHeard = (): boolean => claim.act === undefined || way.killer === '-' || way.sources.some(isWhole);
  // What nothing of its own tells apart is explained only by what has something.
  if (ground === 'explained') return way.residual === true && claim.named?.residual !== true && isHeard();
  const isAgainst = ({ says, file }: Cited): boolean => {
    const isMeant = way.sources.includes('containerd') || !file.includes('containerd');
    const isUnfit = isMeant && !way.needs.some((need) => need.test(`request ${tell(says)}`));
    return way.against.test(join(describe(says, claim, records), { 'is unfit': isUnfit }));
  };
  if (ground === 'record') return records.length > 0 && records.every(isAgainst);
  const counted = claim.silences.flatMap(({ about, source }) => (about.includes(way.what) ? source : []));
  const isCounted = (source: string): boolean => counted.includes(source) && way.sources.includes(source);
  return sources.length > 0 && sources.every(isCounted) && !traces.some((trace) => way.trace.test(trace));
}

/** A record, with words for what speaks against it. */
function describe(says: RawFact, claim: Claim, all: readonly Cited[] = []): string {
  const { victim, endedAt, timesOf, pid = says.pid } = claim;
  const [seen = 0, when = NaN] = [dateIn(says.at), dateIn(says.deletionAt ?? says.at)];
  const asked = timesOf(/^request/);
  const name = text(says.name).replace(/^.*\{|\}$/g, '') || victim.container;
  const own = Object.entries({ pid: [pid], uid: victim.uids, containerId: [victim.containerId] });
  const isOther = own.some(([field, of]: [string, unknown[]]) => says[field] && !of.includes(says[field]));
  const isOom = claim.links.some((link) => link.says.kind === 'kernel-killed' && link.says.pid === says.pid);
  // The scheduler says within two seconds whom it has deleted.
  const isNear = (time: number): boolean => Math.abs(time - when) <= 2000;
  return join(mark(says, claim), {
    'is late': seen > endedAt,
    'is of others': isOther || name !== victim.container,
    'came too late': orderOf(says, claim) === 'late',
    'is after the first signal': seen > claim.stoppedAt,
    'is of an attempt before': says.disruption !== undefined && !asked.some(isNear),
    [`is ${Math.floor((endedAt - seen) / 1000)} s before`]: true,
    'was added': claim.added.has(Number(says.pid)),
    'was before': (says.deletionAt ? when : seen) <= claim.actedAt,
    'is of the scheduler': timesOf(/^request.*Preempt/).some(isNear),
    'is of the runtime': isOom || all.some((one) => mark(one.says, claim).endsWith('; by runtime')),
    'has another code': claim.states.every(({ exitCode }) => exitCode !== 128 + Number(says.signal ?? 0)),
    'was asked': asked.some((time) => time <= seen + CLOCKS_MS),
    'is the last act': [claim.act?.by, ...claim.links].some((one) => one?.says.actorPid === says.actorPid),
    'in it': claim.pids.has(says.pid ?? 0) || text(says.cgroup).includes(claim.id),
    'is of the named killer': claim.named?.stops === true,
    'of one that succeeded': claim.own.some(({ phase }) => phase === 'Succeeded'),
  });
}

/** Whether it came before kubelet or runtime had begun to end the container, or too late: by a whole second, or as they say. */
function orderOf(says: RawFact, { actedAt, heard }: Claim): string {
  // The kubelet's own words have the clock of its acts, which may be another one than that of the API.
  if (says.deletionAt && heard) return Number(heard.at) > actedAt ? 'late' : 'early';
  if (askedAt(says) > actedAt) return 'late';
  return Math.min(dateIn(says.at) ?? Infinity, askedAt(says) + 2 * CLOCKS_MS) <= actedAt ? 'early' : 'open';
}

/** Since when the pod was to end; a status that says why it ended does not say since when. */
const askedAt = ({ kind, deletionAt, at: seen }: RawFact): number =>
  dateIn(deletionAt) ?? (kind === 'pod-seen' ? -Infinity : dateIn(seen)) ?? -Infinity;

/** Silences are earned. A decisive source may have a gap when the answer is not proven. */
function checkSilences({ demand, life, ...claim }: Claim): void {
  for (const silence of claim.silences) {
    const { source, files, from, to, about } = silence;
    const isCounted = about.length > 0 || claim.confidence === 'proven';
    const gap = isCounted ? findGap(silence, claim) : undefined;
    demand(gap === undefined, `its silence does not count: ${gap}`, { file: files[0] ?? source });
    demand(from === life.from && to === life.to, `the silence of ${source} is of another time`);
  }
}

/** Why an answer may not be so sure (docs/verdicts.md, "Confidence"). */
function checkConfidence(claim: Claim, traces: readonly string[]): void {
  const { killer, confidence, demand, links, steps, pid, decisive } = claim;
  demand((killer === 'unknown') === (confidence === 'none'), 'only an unknown killer has no confidence');
  demand(confidence !== 'likely' || claim.doubts.length > 0, 'nothing says why it is only likely');
  if (confidence !== 'proven') return;
  const seenBy = steps.map((step) => (fitting('observers', step)[0] ?? '').split(' '));
  const [code = 0] = links.flatMap(({ says, step }) => (step === 'end' ? (says.exitCode ?? []) : []));
  const hit = links.find((_, index) => /^signal \S+-(?:sent|killed) /.test(steps[index] ?? ''))?.says;
  const isApart = (one: string[]): boolean => seenBy.some((two) => !one.some((name) => two.includes(name)));
  const facts = join(`${killer}; ${claim.act?.act ?? 'unseen'}; code ${code}; by ${decisive.join(' ')}`, {
    'a doubt': claim.doubts.length + claim.open.length > 0,
    'one observer': !seenBy.some(isApart),
    'a silence not counted on': decisive.some((one) => !claim.silences.some(({ source }) => source === one)),
    'another code': code !== 128 + (hit?.signal ?? 0),
    'another process': !claim.isGroup && ![pid, undefined].includes(hit?.pid) && pid !== undefined,
    'nothing asked first': !links.some(({ says }) => says.deletionAt && orderOf(says, claim) === 'early'),
    [`how ${claim.how ?? ''}; \n${[steps.join('\n'), ...traces].join('\nsaid ')}`]: true,
  });
  for (const why of fitting('doubts', facts)) demand(false, why, links[0]);
}
