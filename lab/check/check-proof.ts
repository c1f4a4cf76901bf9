import type { Attribution } from '../model/saved/attribution.ts';
import type { Cited, Proof } from '../model/saved/proof.ts';
import { at, dateIn, findGap, isSaid, linesOn, parse, text } from './raw-files.ts';
import type { Files, Lists, RawFact } from './raw-files.ts';
import tables from './tables.json' with { type: 'json' };
import { findSender, join, patternOf, WAYS, whoIn, type Way } from './match-tables.ts';

/** What is wrong with a proof, and where. */
export type Problem = { readonly problem: string } & Partial<Pick<Cited, 'file' | 'line'>>;
type Answer = Attribution & { readonly proof: Proof };
type Claim = ReturnType<typeof openClaim>;
type Excluded = Proof['exclusions'][number];

/** Clocks of a node and of the lab are so far apart at most. */
const CLOCKS_MS = 500;
/** What the kubelet, or who is at the runtime, says when it begins to end a container. */
const ACTED = /^ (?:kube|run).*(?:illing|Evicted|DeadlineExceeded|StopContainer)/;
const tell = (says: RawFact, step = ''): string => `${step} ${text(says.kind)} ${JSON.stringify(says)}`;

/** Finds what the raw files of a cell do not bear out; nothing when they bear out all of the proof. */
export function checkProof(answer: Answer, contents: ReadonlyMap<string, string>): Problem[] {
  const files = new Map([...contents].map(([file, content]) => [file, content.trimEnd().split(/\r?\n/)]));
  const claim = openClaim(answer, files);
  const traces = findTraces(claim);
  const checks = [checkVictim, checkLinks, checkWays, checkHow, checkSilences, checkConfidence];
  for (const check of checks) check(claim, traces);
  return claim.problems;
}

/** The claim with the raw files, what both say of the victim, and what is wrong. */
function openClaim({ proof, doubts = [], open = [], ...answer }: Answer, files: Files) {
  const { victim, links, act } = proof;
  const { namespace, pod, container, containerId, first } = victim;
  const cell = parse(files.get('cell.json')?.join('\n'));
  const [id, whole] = [containerId || '(none)', `${namespace}/${pod}`];
  const uids = victim.uids.flatMap((uid) => [uid, uid.replaceAll('-', '_')]);
  const isOwnPath = (path: unknown): boolean => [id, ...uids].some((name) => text(path).includes(name));
  // Where nobody saw its processes, the kernel names the one that it took in the cgroup.
  const taken = links.find(({ says }) => says.kind === 'kernel-oom-context' && says.cgroup?.includes(id));
  const killed = links.find(({ says }) => taken && says.kind === 'kernel-killed');
  const pid = [first, taken, killed].find((one) => one?.says.pid)?.says.pid;
  const exact = [id, `"pid":${pid},`, `rocess ${pid} `, `pid=${pid} `];
  // A mirror of a static pod has the container of others as well, and its end is nobody's.
  const pods = uids.map((uid) => `"uid":"${uid}"`);
  const kmsg = [...(containerId ? exact : uids), ...tables.words.faults];
  const few: Lists = { pods, kmsg, cri: [container] };
  const { pids, added } = membersOf(id, pid, first?.says, files);
  const names = [...exact, ...uids, `${whole}\\"`, ...[...pids].map((one) => `"pid":${String(one)},`)];
  const facts = tables.sources.flatMap((source) => linesOn(files, source, few[source] ?? names));
  // Of a victim whose API is gone, the kubelet has the pod and the runtime has the container.
  const isOnNode = at(cell, 'victim/onNode') === victim.pod && !files.has('pods.jsonl');
  const isOwn = (says: RawFact): boolean =>
    (isOnNode ? says.kind === 'kubelet-said' : `${text(says.namespace)}/${text(says.pod)}` === whole) &&
    [...victim.uids, isOnNode ? whole : ''].every((name) => JSON.stringify(says).includes(name));
  const own = facts.filter(isOwn);
  const told = isOnNode ? facts : own;
  const states = told.filter((one) => one.name === container && one.containerId === containerId);
  const [startedAt = 0] = states.flatMap((state) => dateIn(state.startedAt) ?? []);
  const timesOf = (step: string, words = /^/): number[] => {
    const found = links.filter((link) => link.step === step && words.test(tell(link.says)));
    return found.flatMap(({ says: { kind, deletionAt, at: seen } }) => {
      // A status that says why a pod ended does not say since when it was to end.
      const isUndated = step === 'request' && kind === 'pod-seen' && !deletionAt;
      return isUndated ? -Infinity : (dateIn(deletionAt ?? seen) ?? []);
    });
  };
  const signals = timesOf('signal');
  const byAct = act?.act === 'lives' ? undefined : dateIn(act?.by?.says.at);
  const [diedAt = 0] = [byAct ?? [], signals, timesOf('end')].flat();
  const endedAt = answer.killer === 'none' ? (dateIn(cell.endedAt) ?? 0) : diedAt;
  const actedAt = Math.min(...timesOf('request', ACTED), ...signals, endedAt);
  const stoppedAt = Math.min(...timesOf('request', /runtime-stop/), ...signals, endedAt);
  // An earlier pod of that name had a deletion of its own.
  const heard = facts.find((one) => one.kind === 'kubelet-heard' && Number(one.at) >= startedAt);
  const said = facts.filter((one) => isOwnPath(one.target ?? one.cgroup) && JSON.stringify(one).includes(id));
  const isGroup = links.some(({ says }) => says.kind === 'kernel-group-kill' && isOwnPath(says.cgroup));
  const shimOf = (says: RawFact): string => (says.pid && says.pid === first?.says.parent ? '; its shim' : '');
  const chain = links.map(({ says, step }) => tell(says, step) + shimOf(says)).join('\n');
  const left = [...proof.exclusions.map(({ hypothesis }) => hypothesis), ...open.map(({ what }) => what)];
  const named = WAYS.find((way) => way.killer === answer.killer && !left.includes(way.what));
  const problems: Problem[] = [];
  const demand = (holds: boolean, problem: string, cited?: Pick<Cited, 'file' | 'line'>): void => {
    if (!holds) problems.push({ problem, ...(cited && { file: cited.file, line: cited.line }) });
  };
  const senderOf = (says: RawFact): string => findSender(says, victim, /^request /m.test(chain));
  const all = { ...answer, ...proof, doubts, open, files, cell, problems, demand, senderOf, shimOf };
  const found = { chain, left, named, facts, own, states, said, timesOf, heard, actedAt, stoppedAt };
  const isOver = containerId !== '' && !['none', 'container-init-oom'].includes(answer.killer);
  const ids = [...exact, ...uids, whole];
  const alive = { ids, node: victim.node, startedAt, endedAt: isOver ? endedAt : 0 };
  const who = { pid, pids, added, id, uids, exact, alive, startedAt, endedAt };
  return { ...all, ...found, ...who, isGroup, isOwnPath };
}

/** Pids of the processes in the cgroup of a container, and of these what somebody added. */
function membersOf(id: string, pid: number | undefined, first: RawFact | undefined, files: Files) {
  // A signal names the process that it is for, and not always its cgroup.
  const seen = linesOn(files, 'witness', [id]).filter((one) => text(one.cgroup).includes(id));
  const pids = new Set<unknown>([first?.parent, first?.pid, ...seen.map((one) => one.pid)]);
  // What was added, as by kubectl exec, is a child of the shim, or descends from one: the first process knows nothing of it.
  const added = new Set<unknown>([first?.parent].filter((shim = 0) => Number(shim) > 1));
  for (const { pid: one, nsPid, parent } of seen)
    if (![pid, nsPid].includes(one) && added.has(parent)) added.add(one);
  return { pids, added };
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
function checkLinks({ demand, links, exclusions, victim, act, files, ...claim }: Claim): void {
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
    demand(isFirst || claim.said.some((other) => other.pid === says.pid), 'it is of another process', link);
    demand([undefined, victim.node, ...claim.uids].includes(says.uid), 'it is about another pod', link);
    demand([undefined, victim.containerId].includes(says.containerId), 'it is about another container', link);
  }
  // What was written in a second before the start is about the container that was there before.
  const saidAt = Math.min(...claim.timesOf('request', /kube-event/));
  demand(saidAt + 1000 > claim.startedAt, 'it is of a life before');
  const [askedAt, [signalAt = Infinity]] = [Math.min(...claim.timesOf('request')), claim.timesOf('signal')];
  demand(askedAt - CLOCKS_MS <= signalAt || askedAt === Infinity, 'nobody had asked before the signal');
  if (act === undefined) return;
  const { says: shown = { kind: '' } } = act.by ?? {};
  // The last act is what a record shows: a signal of that sender, or another record of that act.
  const isFirst = [undefined, claim.pid].includes(shown.pid) || (act.act === 'oom' && claim.isGroup);
  const pattern = patternOf('acts', act.act, `^signal-sent .*; by ${act.act}(?:;|$)`);
  const told = join(tell(shown).trim(), { [`by ${claim.senderOf(shown)}`]: true });
  demand(isFirst && pattern?.test(told) === true, 'that was not the last act', act.by);
}

/** Each way to the end but the named one is contradicted; of an answer that is not proven, some are open. */
function checkWays(claim: Claim, traces: readonly string[]): void {
  const { killer, demand, exclusions, act, chain, left, named } = claim;
  if (killer === 'unknown') return;
  demand(named?.needs.every((need) => need.test(chain)) === true, `the chain is not that of ${killer}`);
  demand(!act || named?.acts.includes(act.act) === true, `the last act is not that of ${killer}`);
  for (const { what } of WAYS) demand(what === named?.what || left.includes(what), `what of ${what}?`);
  for (const excluded of exclusions) {
    const way = WAYS.find(({ what }) => what === excluded.hypothesis);
    const isContradicted = way !== undefined && isExcluded(excluded, way, traces, claim);
    demand(isContradicted, `it is not contradicted: ${excluded.hypothesis}`, excluded.records?.[0]);
  }
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
  const isWhole = (source: string): boolean =>
    findGap({ ...claim.life, source }, claim.files, claim.alive) === undefined;
  const isHeard = (): boolean => claim.act === undefined || way.killer === '-' || way.sources.some(isWhole);
  // What nothing of its own tells apart is explained only by what has something.
  if (ground === 'explained') return way.residual === true && claim.named?.residual !== true && isHeard();
  const all = records.map(({ says }) => says);
  const isAgainst = ({ says, file }: Cited): boolean => {
    const isMeant = way.sources.includes('containerd') || !file.includes('containerd');
    const isUnfit = isMeant && !way.needs.some((need) => need.test(tell(says, 'request')));
    return way.against.test(join(describe(says, claim, all), { 'is unfit': isUnfit }));
  };
  if (ground === 'record') return records.length > 0 && records.every(isAgainst);
  const counted = claim.silences.flatMap(({ about, source }) => (about.includes(way.what) ? source : []));
  const isCounted = (source: string): boolean => counted.includes(source) && way.sources.includes(source);
  return sources.length > 0 && sources.every(isCounted) && !traces.some((trace) => way.trace.test(trace));
}

/** A record, with words for what speaks against it. */
function describe(says: RawFact, claim: Claim, all: readonly RawFact[] = []): string {
  const { victim, endedAt, timesOf, pid = says.pid } = claim;
  const [seen = 0, when = NaN] = [dateIn(says.at), dateIn(says.deletionAt ?? says.at)];
  const asked = timesOf('request');
  const name = text(says.name).replace(/^.*\{|\}$/g, '') || victim.container;
  const own = Object.entries({ pid: [pid], uid: victim.uids, containerId: [victim.containerId] });
  const isOther = own.some(([field, of]: [string, unknown[]]) => says[field] && !of.includes(says[field]));
  const isOom = claim.links.some((link) => link.says.kind === 'kernel-killed' && link.says.pid === says.pid);
  // The scheduler says within two seconds whom it has deleted.
  const isNear = (time: number): boolean => Math.abs(time - when) <= 2000;
  return join(tell(says).trim() + claim.shimOf(says), {
    'is late': seen > endedAt,
    'is of others': isOther || name !== victim.container,
    'came too late': orderOf(says, claim) === 'late',
    'is after the first signal': seen > claim.stoppedAt,
    'is of an attempt before': says.disruption !== undefined && !asked.some(isNear),
    [`is ${Math.floor((endedAt - seen) / 1000)} s before`]: true,
    'was added': claim.added.has(Number(says.pid)),
    'was before': (says.deletionAt ? when : seen) <= claim.actedAt,
    'is of the scheduler': timesOf('request', /Preempt/).some(isNear),
    'is of the runtime': isOom || all.some((one) => claim.senderOf(one) === 'runtime'),
    'has another code': claim.states.every(({ exitCode }) => exitCode !== 128 + Number(says.signal ?? 0)),
    'was asked': asked.some((time) => time <= seen + CLOCKS_MS),
    'is the last act': [claim.act?.by, ...claim.links].some((one) => one?.says.actorPid === says.actorPid),
    'in it': claim.pids.has(Number(says.pid)) || text(says.cgroup).includes(claim.id),
    'is of the named killer': claim.named?.stops === true,
    'of one that succeeded': claim.own.some(({ phase }) => phase === 'Succeeded'),
    [`by ${says.kind === 'signal-sent' ? claim.senderOf(says) : 'nobody'}`]: true,
  });
}

/** Whether it came before kubelet or runtime had begun to end the container, or too late: by a whole second, or as they say. */
function orderOf({ deletionAt, at: seen, kind }: RawFact, { actedAt, heard }: Claim): string {
  // The kubelet's own words have the clock of its acts, which may be another one than that of the API.
  if (deletionAt && heard) return Number(heard.at) > actedAt ? 'late' : 'early';
  const askedAt = dateIn(deletionAt) ?? (kind === 'pod-seen' ? -Infinity : dateIn(seen)) ?? -Infinity;
  if (askedAt > actedAt) return 'late';
  return Math.min(dateIn(seen) ?? Infinity, askedAt + 2 * CLOCKS_MS) <= actedAt ? 'early' : 'open';
}

/** The way and the level, which the chain has words for. */
function checkHow({ demand, how, level, links, chain, id, uids, killer }: Claim): void {
  const levelOf = (path = ''): string =>
    ['container', ...uids.map(() => 'pod')][[id, ...uids].findIndex((place) => path.includes(place))] ??
    (path.includes('kubepods') ? 'qos' : 'node');
  const limits = links.map(({ says: { kind, limitOf, values, cgroup } }) =>
    kind === 'kernel-oom-context' ? levelOf(limitOf) : Number(values?.oom ?? 0) > 0 && levelOf(cgroup),
  );
  const [sent] = links.filter(({ says }) => says.kind === 'signal-sent');
  const way = how && patternOf('hows', how, how.replaceAll('-', '.'));
  const told = `${chain}\nfrom ${levelOf(sent?.says.actorCgroup)}`;
  demand(!way || way.test(told), `the chain does not say how: ${how}`, links[0]);
  const isHit = level === undefined || (limits.includes(level) && /oom/.test(killer));
  demand(isHit, `the limit of the ${level} was not hit`, links[0]);
}

/** Silences are earned. A decisive source may have a gap when the answer is not proven. */
function checkSilences({ demand, life, ...claim }: Claim): void {
  for (const silence of claim.silences) {
    const { source, files, from, to, about } = silence;
    const isCounted = about.length > 0 || claim.confidence === 'proven';
    const gap = isCounted ? findGap(silence, claim.files, claim.alive) : undefined;
    demand(gap === undefined, `its silence does not count: ${gap}`, { file: files[0] ?? source });
    demand(from === life.from && to === life.to, `the silence of ${source} is of another time`);
  }
}

/** Why an answer may not be so sure (docs/verdicts.md, "Confidence"). */
function checkConfidence(claim: Claim, traces: readonly string[]): void {
  const { killer, confidence, demand, links, pid, decisive } = claim;
  demand((killer === 'unknown') === (confidence === 'none'), 'only an unknown killer has no confidence');
  demand(confidence !== 'likely' || claim.doubts.length > 0, 'nothing says why it is only likely');
  if (confidence !== 'proven') return;
  const seenBy = links.map(({ says, step }) => whoIn('observers', tell(says, step)).split(' '));
  const [code = 0] = links.flatMap(({ says, step }) => (step === 'end' ? (says.exitCode ?? []) : []));
  const hit = links.find(({ says, step }) => /^signal \S+-(?:sent|killed) /.test(tell(says, step)))?.says;
  const isApart = (one: string[]): boolean => seenBy.some((two) => !one.some((name) => two.includes(name)));
  const facts = join(`${killer}; ${claim.act?.act ?? 'unseen'}; code ${code}; by ${decisive.join(' ')}`, {
    'a doubt': claim.doubts.length + claim.open.length > 0,
    'one observer': !seenBy.some(isApart),
    'a silence not counted on': decisive.some((one) => !claim.silences.some(({ source }) => source === one)),
    'another code': code !== 128 + (hit?.signal ?? 0),
    'another process': !claim.isGroup && ![pid, undefined].includes(hit?.pid) && pid !== undefined,
    'nothing asked first': !links.some(({ says }) => says.deletionAt && orderOf(says, claim) === 'early'),
    [`how ${claim.how ?? ''}; \n${[claim.chain, ...traces].join('\nsaid ')}`]: true,
  });
  for (const { when, why } of tables.doubts) demand(!new RegExp(when).test(facts), why, links[0]);
}
