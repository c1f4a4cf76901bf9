import type { Attribution } from '../model/saved/attribution.ts';
import type { Cited, Proof } from '../model/saved/proof.ts';
import { at, parse, read, text, timeOf, type Files, type Reading } from './read-record.ts';
import { findGap } from './silence.ts';
import { WAYS, type Way } from './ways.ts';

/** What is wrong with a proof, and where. */
export type Problem = { readonly problem: string } & Partial<Pick<Cited, 'file' | 'line'>>;
type Claim = Attribution & { readonly proof: Proof };
type Demand = (holds: boolean, problem: string, cited?: Cited) => void;
type Opened = ReturnType<typeof openClaim>;

/** Clocks of a node and of the lab are so far apart at most. */
const CLOCKS_MS = 500;
const STEPS = ['cause', 'request', 'signal', 'end', 'consequence'];
const isAmong = (value: unknown, all: readonly unknown[]): boolean =>
  value === undefined || all.includes(value);
const tell = ({ step = '', says }: Cited & { step?: string }): string =>
  `${step} ${says.kind} ${JSON.stringify(says)}`;

/** Finds what the raw files of a cell do not bear out; nothing when they bear out all of the proof. */
export function checkProof(claim: Claim, contents: ReadonlyMap<string, string>): Problem[] {
  const files = new Map([...contents].map(([file, content]) => [file, content.trimEnd().split(/\r?\n/)]));
  const problems: Problem[] = [];
  const demand: Demand = (holds, problem, cited) => {
    if (!holds) problems.push({ problem, ...(cited && { file: cited.file, line: cited.line }) });
  };
  const opened = openClaim(claim, files);
  for (const check of [checkVictim, checkLinks, checkWays, checkConfidence]) check(opened, demand);
  return problems;
}

/** The claim with the raw files, and what both say of the victim. */
function openClaim(claim: Claim, files: Files) {
  const { victim, links, act } = claim.proof;
  const { killer, confidence, doubts = [], open = [] } = claim;
  const versions = (files.get('pods.jsonl') ?? []).flatMap((_, index) =>
    read(files, 'pods.jsonl', index + 1),
  );
  const own = versions.filter(({ namespace, pod, uid, annotations }) => {
    const uids = [uid, ...Object.values(Object(annotations) as Reading)];
    return (
      namespace === victim.namespace && pod === victim.pod && victim.uids.every((id) => uids.includes(id))
    );
  });
  const states = own.filter((one) => one.name === victim.container && one.containerId === victim.containerId);
  const times = (step: string): number[] =>
    links.flatMap((link) => (link.step === step ? (timeOf(link.says.deletionAt ?? link.says.at) ?? []) : []));
  const acted = act?.act === 'lives' ? undefined : timeOf(act?.by?.says.at);
  const actAt = killer === 'none' ? undefined : (acted ?? times('signal')[0] ?? times('end')[0]);
  const uids = victim.uids.flatMap((uid) => [uid, uid.replaceAll('-', '_')]);
  const pid = victim.first?.says.pid;
  const id = victim.containerId || '(none)';
  const exact = [id, `"pid":${pid},`, `rocess ${pid} `, `pid=${pid} `];
  const startedAt = states.flatMap((state) => timeOf(state.startedAt) ?? [])[0];
  const isOwnPath = (path: unknown): boolean => [id, ...uids].some((name) => text(path).includes(name));
  const cell = parse(files.get('cell.json')?.join('\n'));
  const told = { killer, confidence, doubts, open, cell, files, own, states, times };
  return { ...claim.proof, ...told, actAt, uids, pid, id, exact, startedAt, isOwnPath };
}

/** Whether a line of a raw file says all that it is taken to say. */
function isSaid({ file, line, says }: Cited, files: Files): boolean {
  const plain = (value: unknown): string => text(value).replaceAll(/["\\]/g, '');
  return read(files, file, line).some((reading) =>
    Object.entries(says).every(([field, claimed]) => {
      const found = reading[field];
      const within = plain(reading.within);
      const code = /(?:xit_status:|ExitStatus:|exitCode=)(-?\d+)/.exec(within)?.[1];
      if (field === 'at') return Math.abs((timeOf(claimed) ?? 0) - Number(found)) < 2;
      if (field === 'exitCode' && found === undefined) return Number(code ?? 0) === claimed;
      if (found !== undefined) return JSON.stringify(found) === JSON.stringify(claimed);
      return typeof claimed === 'number'
        ? within.split(/\D+/).includes(`${claimed}`)
        : within.includes(plain(claimed));
    }),
  );
}

/** Who died, and the time in which sources must be whole. */
function checkVictim(
  { victim, life, cell, own, states, isOwnPath, startedAt = 0, actAt, killer }: Opened,
  demand: Demand,
): void {
  const from = Math.max(startedAt, timeOf(cell.startedAt) ?? 0);
  const to = (killer === 'none' ? timeOf(cell.endedAt) : actAt) ?? 0;
  demand(at(cell, 'victim/container') === victim.container, 'the cell has another victim');
  demand(at(cell, 'victim/namespace') === victim.namespace, 'the cell has a victim in another namespace');
  demand(own.length > 0, 'the API has no pod of this name and uid');
  demand(victim.containerId === '' || states.length > 0, 'the API has no container of this name and id');
  demand(!victim.first || isOwnPath(victim.first.says.cgroup), 'it is not its process', victim.first);
  demand(Date.parse(life.from) <= from && Date.parse(life.to) >= to, 'sources must be whole for longer');
}

/** Each record is there and says that; they are in order; ids agree; the last act is what a record shows. */
function checkLinks(opened: Opened, demand: Demand): void {
  const { links, exclusions, victim, act, files, pid, uids, isOwnPath, times } = opened;
  for (const cited of [victim.first, act?.by, ...links, ...exclusions.flatMap(({ records = [] }) => records)])
    if (cited) demand(isSaid(cited, files), `it does not say ${JSON.stringify(cited.says)}`, cited);
  const isOwnProcess = (other: unknown): boolean =>
    other === pid || links.some(({ says }) => says.pid === other && isOwnPath(says.cgroup));
  for (const [index, link] of links.entries()) {
    const { says, step } = link;
    const before = links[index - 1] ?? link;
    const steps = STEPS.indexOf(step) - STEPS.indexOf(before.step);
    demand(
      steps > 0 || (steps === 0 && (timeOf(before.says.at) ?? 0) <= (timeOf(says.at) ?? 0)),
      'it is out of order',
      link,
    );
    if (step === 'cause' || step === 'consequence') continue;
    const [raw] = read(files, link.file, link.line);
    const isOwn = isOwnProcess(says.pid) || isOwnPath(raw?.target ?? raw?.cgroup) || pid === undefined;
    demand(says.pid === undefined || isOwn || says.kind === 'stimulus', 'it is about another process', link);
    demand(isAmong(says.uid, uids), 'it is about another pod', link);
    demand(isAmong(says.containerId, [victim.containerId]), 'it is about another container', link);
  }
  const [askedAt, [signalAt = Infinity]] = [Math.min(...times('request')), times('signal')];
  demand(askedAt === Infinity || askedAt <= signalAt + CLOCKS_MS, 'nobody had asked before the signal');
  demand(!act || isAct(act, opened), `no record shows that this was the last act: ${act?.act}`, act?.by);
}

/** The kind of record that shows an act which is no signal. */
const SHOWN = new Map(
  Object.entries({ oom: 'kernel-killed', itself: 'process-exited', 'node-gone': 'boot-ended' }),
);

function isAct({ act, by }: NonNullable<Proof['act']>, opened: Opened): boolean {
  const { kind, pid, state, reason = '' } = by?.says ?? {};
  if (act === 'never-ran' || act === 'lives')
    return kind === 'pod-seen' && (act === 'lives' ? state === 'running' : /Error|CannotRun/.test(reason));
  const isOfAll = opened.links.some(
    ({ says }) => says.kind === 'kernel-group-kill' && opened.isOwnPath(says.cgroup),
  );
  const isFirst = pid === opened.pid || act === 'node-gone' || (act === 'oom' && isOfAll);
  const isShown =
    kind === SHOWN.get(act) || (kind === 'signal-sent' && senderOf(by?.says ?? {}, opened) === act);
  return isFirst && isShown;
}

const OF_TARGET = [4, 5, 7, 8, 11, 14, 24, 31];
const UNIT =
  /\/(?:(?:containerd|crio|docker|cri-docker|k3s|k3s-agent|rke2-\w+|k0s\w+|snap\.\S+)\.service|podruntime)(?:\/|$)/;
const NAME = /^(?:containerd|runc|runsc|crun|youki|conmon|dockerd|crio|exe$|<\.\.\.>$)/;

/** Who sent a signal (docs/verdicts.md, "Who is the runtime"). */
function senderOf(says: Reading, { victim, id }: Opened): string {
  const [cgroup, actor, code] = [text(says.actorCgroup), text(says.actor), Number(says.code)];
  const isOfTarget = OF_TARGET.includes(Number(says.signal));
  if (code === 128 && !isOfTarget) return 'kernel';
  if (code === -2 || (isOfTarget && code > 0) || says.actorPid === says.pid || cgroup.includes(id))
    return 'container';
  if (says.actorPid === 1) return 'systemd';
  if (actor === 'systemd-oomd' || actor === 'earlyoom') return actor;
  if (says.actorPid === victim.first?.says.parent || UNIT.test(cgroup)) return 'runtime';
  return NAME.test(actor) && !/kubepods|ssh|user\.slice|cron/.test(cgroup) ? 'runtime' : 'outside';
}

/** Each way to the end but the named one is contradicted; of an answer that is not proven, some are open. */
function checkWays(opened: Opened, demand: Demand): void {
  const {
    killer,
    confidence,
    open,
    links,
    exclusions,
    act,
    silences,
    life,
    files,
    exact,
    uids,
    actAt,
    startedAt,
  } = opened;
  const isListed = (what: string): boolean => exclusions.some(({ hypothesis }) => hypothesis === what);
  const named = WAYS.find((way) => way.killer === killer && !isListed(way.what));
  const chain = links.map(tell).join('\n');
  const isUnknown = killer === 'unknown';
  demand(isUnknown || named !== undefined, `${killer} is contradicted`);
  demand(!named || named.needs.every((need) => need.test(chain)), `the chain is not that of ${killer}`);
  demand(!named || !act || named.acts.includes(act.act), `the last act is not that of ${killer}`);
  for (const { what } of WAYS)
    if (what !== named?.what && !isUnknown && !open.some((cause) => cause.what === what))
      demand(isListed(what), `nothing contradicts ${what}`);
  for (const excluded of exclusions) {
    const way = WAYS.find(({ what }) => what === excluded.hypothesis);
    demand(
      way !== undefined && isExcluded(excluded, way, opened),
      `it is not contradicted: ${excluded.hypothesis}`,
    );
  }
  for (const silence of silences) {
    const names = {
      ids: [...exact, ...uids],
      startedAt,
      endedAt: opened.victim.containerId === '' ? undefined : actAt,
    };
    const gap =
      silence.about.length > 0 || confidence === 'proven' ? findGap(silence, files, names) : undefined;
    demand(gap === undefined, `the silence of ${silence.source} does not count: ${gap}`, {
      file: silence.files[0] ?? '',
      says: { kind: '' },
    });
    demand(
      silence.from === life.from && silence.to === life.to,
      `the silence of ${silence.source} is of another time`,
    );
  }
}

function isExcluded(
  { ground, records = [], sources = [] }: Proof['exclusions'][number],
  way: Way,
  opened: Opened,
): boolean {
  const { act, silences, files, killer, uids, exact } = opened;
  if (ground === 'act') return act !== undefined && !way.acts.includes(act.act);
  if (ground === 'explained') return way.residual !== undefined && killer !== 'unknown';
  if (ground === 'record')
    return records.length > 0 && records.every((record) => speaksAgainst(record, records, way, opened));
  const names = way.sources.includes('kmsg') ? exact : [...exact, ...uids];
  const isTrace = (line: string): boolean =>
    way.trace.test(line) && names.some((name) => line.includes(name));
  const counted = silences.filter(
    ({ source, about }) => sources.includes(source) && about.includes(way.what),
  );
  const hasTrace = counted.some((silence) => silence.files.some((file) => files.get(file)?.some(isTrace)));
  return counted.length > 0 && counted.every(({ source }) => way.sources.includes(source)) && !hasTrace;
}

/** Whether a record that looks like the trace of a way is not: later, of somebody else, or with the words of another. */
function speaksAgainst(
  record: Cited,
  all: readonly Cited[],
  { killer, needs }: Way,
  opened: Opened,
): boolean {
  const { actAt = Infinity, pid, victim, links, times, states } = opened;
  const { says } = record;
  const seenAt = timeOf(says.at) ?? 0;
  const isElsewhere = !isAmong(says.pid, [pid]) || !isAmong(says.containerId, [victim.containerId]);
  const isLink = links.some(({ file, line }) => file === record.file && line === record.line);
  if (seenAt > actAt) return true;
  const isOfRuntime = all.some(
    ({ says: sent }) => sent.actor !== undefined && senderOf(sent, opened) === 'runtime',
  );
  const isKilled = links.some(({ says: other }) => other.kind === 'kernel-killed' && other.pid === says.pid);
  if (/sandbox|lost|reboot/.test(killer)) return isOfRuntime || isKilled;
  if (killer === 'none')
    return says.exitCode !== undefined || /kill|exit/.test(says.kind) || says.state !== 'running';
  if (killer === 'container-init-oom') return !/StartError/.test(says.reason ?? '');
  if (killer === 'self-exit') return says.state !== 'terminated';
  if (killer === 'self-signal')
    return says.signal === 31 || states.every(({ exitCode }) => exitCode !== 128 + (says.signal ?? 0));
  if (killer === 'runtime-stop') return times('request').some((askedAt) => askedAt <= seenAt + CLOCKS_MS);
  if (killer === 'kubelet-cgroup-missing') return isLink || says.uid !== undefined;
  return isElsewhere || !needs.some((need) => need.test(tell({ ...record, step: 'request' } as Cited)));
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
function checkConfidence(opened: Opened, demand: Demand): void {
  const {
    killer,
    confidence,
    doubts,
    open,
    links,
    act,
    pid,
    decisive,
    silences,
    files,
    id,
    actAt = 0,
    own,
  } = opened;
  demand((killer === 'unknown') === (confidence === 'none'), 'only an unknown killer has no confidence');
  demand(confidence !== 'likely' || doubts.length > 0, 'nothing says why it is only likely');
  if (confidence !== 'proven') return;
  const observers = links.map(
    (link) => OBSERVERS.find(([pattern]) => pattern.test(tell(link)))?.[1].split(' ') ?? [],
  );
  const isApart = observers.some((one) =>
    observers.some((other) => !one.some((name) => other.includes(name))),
  );
  const code =
    links.find(({ step, says }) => step === 'end' && says.exitCode !== undefined)?.says.exitCode ?? 0;
  const hit = links.find(
    ({ step, says }) => step === 'signal' && /signal-sent|kernel-killed/.test(says.kind),
  )?.says;
  const isOfAll = links.some(({ says }) => says.kind === 'kernel-group-kill');
  const ofNode = [...files.keys()].filter((file) => /witness|kmsg/.test(file));
  const records = ofNode.flatMap((file) =>
    (files.get(file) ?? []).flatMap((_, index) => read(files, file, index + 1)),
  );
  const isStrange = (says: Reading): boolean =>
    says.kind === 'signal-sent' &&
    text(says.target).includes(id) &&
    Number(says.at) <= actAt &&
    ['outside', 'systemd'].includes(senderOf(says, opened)) &&
    says.actorPid !== hit?.actorPid;
  const isOom = records.some(
    ({ kind, cgroup }) => kind === 'kernel-oom-context' && text(cgroup).includes(id),
  );
  const isAsked = own.some(({ deletionAt }) => (timeOf(deletionAt) ?? Infinity) < actAt - 2 * CLOCKS_MS);
  const needed = act?.act === 'node-gone' || killer === 'node-shutdown' ? ['trace'] : ['kmsg'];
  if (act && !['oom', 'lives', 'never-ran'].includes(act.act)) needed.push('trace');
  demand(doubts.length + open.length === 0, 'it is proven, and something is in doubt or open');
  demand(isApart, 'all records came through the same source');
  for (const source of needed)
    demand(
      decisive.some((one) => one === source),
      `${source} is decisive`,
    );
  for (const source of decisive)
    demand(
      silences.some((one) => one.source === source),
      `${source} is not counted on`,
    );
  demand(killer !== 'pids-limit', 'only time links the end to a refused fork');
  demand(
    killer !== 'self-exit' || (code < 128 && !isOom),
    'its code is that of a signal, or a process of it was killed',
  );
  demand(
    killer !== 'external-signal' || code === 128 + (hit?.signal ?? 0),
    'its code is not that of the signal',
  );
  demand(act?.act !== 'itself' || killer === 'self-exit', 'only time links the end to what came before');
  demand(
    act?.act === 'lives' || isAmong(hit?.pid, [pid]) || isOfAll || pid === undefined,
    'it hit another process',
  );
  demand(!records.some(isStrange), 'a signal from outside is not explained');
  demand(!isAsked || !act || ['oom', 'runtime'].includes(act.act), 'somebody had asked for its end');
}
