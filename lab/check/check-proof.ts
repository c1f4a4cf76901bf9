import type { Attribution } from '../model/saved/attribution.ts';
import type { Cited, Proof, Says } from '../model/saved/proof.ts';
import { at, dateIn, findGap, isSaid, linesOn, parse, text, type Files, type RawFact } from './raw-files.ts';
import tables from './tables.json' with { type: 'json' };
import { findSender, join, patternOf, WAYS, whoIn, type Way } from './match-tables.ts';

/** What is wrong with a proof, and where. */
export type Problem = { readonly problem: string } & Partial<Pick<Cited, 'file' | 'line'>>;
type Answer = Attribution & { readonly proof: Proof };
type Claim = ReturnType<typeof openClaim>;

/** Clocks of a node and of the lab are so far apart at most. */
const CLOCKS_MS = 500;
/** What the kubelet, or who is at the runtime, says when it begins to end a container. */
const ACTED = /^ (?:kube|run).*(?:illing|Evicted|DeadlineExceeded|StopContainer)/;
const tell = (says: Says, step = ''): string => `${step} ${says.kind} ${JSON.stringify(says)}`;

/** Finds what the raw files of a cell do not bear out; nothing when they bear out all of the proof. */
export function checkProof(answer: Answer, contents: ReadonlyMap<string, string>): Problem[] {
  const files = new Map([...contents].map(([file, content]) => [file, content.trimEnd().split(/\r?\n/)]));
  const claim = openClaim(answer, files);
  const checks = [checkVictim, checkLinks, checkAct, checkWays, checkHow, checkSilences, checkConfidence];
  for (const check of checks) check(claim);
  return claim.problems;
}

/** The claim with the raw files, what both say of the victim, and what is wrong. */
function openClaim({ proof, doubts = [], open = [], ...answer }: Answer, files: Files) {
  const [{ victim, links, act }, { namespace, pod, container, containerId }] = [proof, proof.victim];
  const cell = parse(files.get('cell.json')?.join('\n'));
  // Of a victim whose API is gone, the kubelet has the pod and the runtime has the container.
  const isOnNode = at(cell, 'victim/onNode') === victim.pod && !files.has('pods.jsonl');
  const whole = `${namespace}/${pod}`;
  const isOwn = (says: RawFact): boolean =>
    (isOnNode || `${text(says.namespace)}/${text(says.pod)}` === whole) &&
    [...victim.uids, isOnNode ? whole : ''].every((name) => JSON.stringify(says).includes(name));
  const own = linesOn(files, isOnNode ? /kubelet/ : /pods/, /^/, [pod]).filter(isOwn);
  const told = isOnNode ? linesOn(files, /cri\./, /^/, [container]) : own;
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
  const actedAt = act?.act === 'lives' ? undefined : dateIn(act?.by?.says.at);
  const [diedAt = 0] = [actedAt ?? [], timesOf('signal'), timesOf('end')].flat();
  const endedAt = answer.killer === 'none' ? (dateIn(cell.endedAt) ?? 0) : diedAt;
  const id = containerId || '(none)';
  const uids = victim.uids.flatMap((uid) => [uid, uid.replaceAll('-', '_')]);
  const isOwnPath = (path: unknown): boolean => [id, ...uids].some((name) => text(path).includes(name));
  // Where nobody saw its processes, the kernel names the one that it took in the cgroup.
  const named = links.find(({ says }) => says.kind === 'kernel-oom-context' && says.cgroup?.includes(id));
  const killed = links.find(({ says }) => named && says.kind === 'kernel-killed');
  const pid = [victim.first, named, killed].find((one) => one?.says.pid)?.says.pid;
  const exact = [id, `"pid":${pid},`, `rocess ${pid} `, `pid=${pid} `];
  const said = linesOn(files, /witness|kmsg/, /^/, [id]).filter((one) => isOwnPath(one.target ?? one.cgroup));
  const isGroup = links.some(({ says }) => says.kind === 'kernel-group-kill' && isOwnPath(says.cgroup));
  const chain = links.map(({ says, step }) => tell(says, step)).join('\n');
  const problems: Problem[] = [];
  const demand = (holds: boolean, problem: string, cited?: Pick<Cited, 'file' | 'line'>): void => {
    if (!holds) problems.push({ problem, ...(cited && { file: cited.file, line: cited.line }) });
  };
  const isInLife = ({ at: time }: RawFact): boolean =>
    !(Number(time) < startedAt - 1000 || Number(time) > endedAt + 2000);
  const senderOf = (says: RawFact): string => findSender(says, victim, /^request /m.test(chain));
  const all = { ...answer, ...proof, doubts, open, files, cell, problems, demand, chain, isInLife, senderOf };
  return { ...all, own, states, startedAt, endedAt, timesOf, pid, id, uids, said, exact, isGroup, isOwnPath };
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
}

/** The last act is what a record shows: a signal of that sender, or another record of that act. */
function checkAct({ demand, act, pid, isGroup, senderOf }: Claim): void {
  if (act === undefined) return;
  const { says = { kind: '' } } = act.by ?? {};
  const isFirst = [undefined, pid].includes(says.pid) || (act.act === 'oom' && isGroup);
  const isSent = says.kind === 'signal-sent' && senderOf(says) === act.act;
  const isShown = patternOf('acts', act.act)?.test(tell(says).trim()) ?? isSent;
  demand(isFirst && isShown, 'that was not the last act', act.by);
}

/** Each way to the end but the named one is contradicted; of an answer that is not proven, some are open. */
function checkWays(claim: Claim): void {
  const { killer, demand, exclusions, act, chain } = claim;
  if (killer === 'unknown') return;
  const left = [...exclusions.map(({ hypothesis }) => hypothesis), ...claim.open.map(({ what }) => what)];
  const named = WAYS.find((way) => way.killer === killer && !left.includes(way.what));
  demand(named?.needs.every((need) => need.test(chain)) === true, `the chain is not that of ${killer}`);
  demand(!act || named?.acts.includes(act.act) === true, `the last act is not that of ${killer}`);
  for (const { what } of WAYS) demand(what === named?.what || left.includes(what), `what of ${what}?`);
  for (const excluded of exclusions) {
    const way = WAYS.find(({ what }) => what === excluded.hypothesis);
    const isContradicted = way !== undefined && isExcluded(excluded, way, claim);
    demand(isContradicted, `it is not contradicted: ${excluded.hypothesis}`, excluded.records?.[0]);
  }
}

function isExcluded(excluded: Proof['exclusions'][number], way: Way, claim: Claim): boolean {
  const { ground, records = [], sources = [] } = excluded;
  if (ground === 'act') return claim.act !== undefined && !way.acts.includes(claim.act.act);
  if (ground === 'explained') return way.residual === true;
  const isAgainst = (record: Cited): boolean => way.against.test(describe(record, records, way, claim));
  if (ground === 'record') return records.length > 0 && records.every(isAgainst);
  // A mirror of a static pod has the container of others as well, and its end is nobody's.
  const [isPods, isKmsg] = ['pods', 'kmsg'].map((source) => way.sources.includes(source));
  const uids = claim.uids.map((uid) => (isPods ? `"uid":"${uid}"` : uid));
  const names = [isPods ? [] : claim.exact, isKmsg ? [] : uids].flat();
  const counted = claim.silences.filter(({ about }) => about.includes(way.what));
  const told = counted.map(({ source }) => source).filter((source) => way.sources.includes(source));
  const isCounted = (path: string): boolean => counted.some(({ files }) => files.includes(path));
  const traces = linesOn(claim.files, { test: isCounted }, way.trace, names).filter(claim.isInLife);
  return sources.length > 0 && sources.every((source) => told.includes(source)) && traces.length === 0;
}

/** A record that looks like the trace of a way, with words for what speaks against that. */
function describe({ says, file }: Cited, all: readonly Cited[], way: Way, claim: Claim): string {
  const { links, victim, states, pid = says.pid } = claim;
  const { containerId = victim.containerId, at: seen, deletionAt: when = seen } = says;
  const isOom = links.some((link) => link.says.kind === 'kernel-killed' && link.says.pid === says.pid);
  // The scheduler says within two seconds whom it has deleted.
  const isNear = (time: number): boolean => Math.abs(time - Date.parse(when ?? '')) <= 2000;
  const asked = claim.timesOf('request');
  const isOfSource = way.sources.includes('containerd') || !file.includes('containerd');
  return join(tell(says).trim(), {
    'is late': (dateIn(seen) ?? 0) > claim.endedAt,
    'is of others': ![undefined, pid].includes(says.pid) || containerId !== victim.containerId,
    'is unfit': isOfSource && !way.needs.some((need) => need.test(tell(says, 'request'))),
    'came too late': orderOf(says, claim) === 'late',
    'is of an attempt before': says.disruption !== undefined && !asked.some(isNear),
    'is long before': (dateIn(seen) ?? 0) + 5000 < claim.endedAt,
    'is of the scheduler': claim.timesOf('request', /Preempt/).some(isNear),
    'is of the runtime': isOom || all.some((one) => claim.senderOf(one.says) === 'runtime'),
    'has another code': states.every(({ exitCode }) => exitCode !== 128 + (says.signal ?? 0)),
    'was asked': asked.some((time) => time <= (dateIn(seen) ?? 0) + CLOCKS_MS),
  });
}

/**
 * Whether it came before kubelet or runtime had begun to end the container, or too late: by a whole second, or as the API or
 * the kubelet had said.
 */
function orderOf({ deletionAt, at: seen, kind }: Says, claim: Claim): string {
  const actedAt = Math.min(...claim.timesOf('request', ACTED), ...claim.timesOf('signal'), claim.endedAt);
  const heard = linesOn(claim.files, /kubelet/, /SyncLoop DELETE/, [claim.victim.pod]);
  // An earlier pod of that name had a deletion of its own.
  const [heardAt = Infinity] = heard.map((line) => Number(line.at)).filter((time) => time >= claim.startedAt);
  // The kubelet's own words have the clock of its acts, which may be another one than that of the API.
  if (deletionAt && heardAt < Infinity) return heardAt > actedAt ? 'late' : 'early';
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
function checkSilences({ demand, life, exact, uids, startedAt, victim, ...claim }: Claim): void {
  const isOver = victim.containerId !== '' && !['none', 'container-init-oom'].includes(claim.killer);
  const ids = [...exact, ...uids, `${victim.namespace}/${victim.pod}`];
  const own = { ids, startedAt: startedAt || undefined, endedAt: isOver ? claim.endedAt : undefined };
  for (const silence of claim.silences) {
    const { source, files, from, to, about } = silence;
    const isCounted = about.length > 0 || claim.confidence === 'proven';
    const gap = isCounted ? findGap(silence, claim.files, own) : undefined;
    demand(gap === undefined, `its silence does not count: ${gap}`, { file: files[0] ?? source });
    demand(from === life.from && to === life.to, `the silence of ${source} is of another time`);
  }
}

/** Why an answer may not be so sure (docs/verdicts.md, "Confidence"). */
function checkConfidence(claim: Claim): void {
  const { killer, confidence, demand, links, pid, endedAt, victim, decisive } = claim;
  demand((killer === 'unknown') === (confidence === 'none'), 'only an unknown killer has no confidence');
  demand(confidence !== 'likely' || claim.doubts.length > 0, 'nothing says why it is only likely');
  if (confidence !== 'proven') return;
  const seenBy = links.map(({ says, step }) => whoIn('observers', tell(says, step)).split(' '));
  const [code = 0] = links.flatMap(({ says, step }) => (step === 'end' ? (says.exitCode ?? []) : []));
  const hit = links.find(({ says, step }) => /^signal \S+-(?:sent|killed) /.test(tell(says, step)))?.says;
  const own = claim.said.filter((says) => Number(says.at) <= endedAt);
  const others = own.filter(({ kind, actorPid }) => kind === 'signal-sent' && actorPid !== hit?.actorPid);
  const isApart = (one: string[]): boolean => seenBy.some((two) => !one.some((name) => two.includes(name)));
  // That somebody deleted the mirror of a static pod ends nothing.
  const pods = claim.own.filter((one) => !JSON.stringify(one).includes('config.mirror'));
  // What was added, as by kubectl exec, is a child of the shim, or descends from one: the first process knows nothing of it.
  const added = new Set<unknown>([victim.first?.says.parent].filter((shim = 0) => shim > 1));
  for (const { kind, pid: one, nsPid, parent } of own)
    if (kind === 'process-seen' && ![pid, nsPid].includes(one) && added.has(parent)) added.add(one);
  const facts = join(`${killer}; ${claim.act?.act ?? 'never-ran'}; code ${code}; by ${decisive.join(' ')}`, {
    'a doubt': claim.doubts.length + claim.open.length > 0,
    'one observer': !seenBy.some(isApart),
    'a silence not counted on': decisive.some((one) => !claim.silences.some(({ source }) => source === one)),
    'another code': code !== 128 + (hit?.signal ?? 0),
    'an OOM kill': own.some((one) => one.kind === 'kernel-oom-context' && !added.has(Number(one.pid))),
    'another process': !claim.isGroup && ![pid, undefined].includes(hit?.pid) && pid !== undefined,
    'nothing asked first': !links.some(({ says }) => says.deletionAt && orderOf(says, claim) === 'early'),
    'a stranger': others.some((says) => /outside|systemd/.test(claim.senderOf(says))),
    'a request': pods.some((one) => Number(dateIn(one.deletionAt)) < endedAt - 2 * CLOCKS_MS),
  });
  for (const { when, why } of tables.doubts) demand(!new RegExp(when).test(facts), why, links[0]);
}
