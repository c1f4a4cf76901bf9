import type {
  Lost,
  RuntimeCreated,
  RuntimeEvent,
  RuntimeHandler,
  RuntimeRestarted,
  SandboxCreated,
} from '../model/evidence/observation.ts';
import { ALONE, readJournal, type JournalContext, type JournalEntry } from './journal.ts';
import { baseOf, type EvidenceText, type Where } from './lines.ts';

/** The texts of containerd (docs/texts-of-kills.yaml says of which releases) and what they mean: pkg/cri/server (events.go, container_*.go). */
const PATTERNS: readonly (readonly [RuntimeEvent['kind'], RegExp])[] = [
  ['runtime-oom', /^TaskOOM event (?:.*?container_id:|.*?ContainerID:)"?([0-9a-f]{64})/],
  [
    'runtime-exit',
    /^(?:TaskExit event|received exit event|received container exit event) .*?(?:container_id:|ContainerID:)"?([0-9a-f]{64})/,
  ],
  ['runtime-cut-off', /^failed to get task exit status for "([0-9a-f]{64})"/],
  ['runtime-gone', /^shim (?:disconnected|reaped) (?:.*\s)?id="?([0-9a-f]{64})/],
  ['runtime-stop', /^(?:StopContainer for|Stop container|Kill container) "([0-9a-f]{64})"(?! returns)/],
  ['runtime-start', /^StartContainer for "([0-9a-f]{64})" returns successfully/],
];

/** `&PodSandboxMetadata{Name:a,Uid:b,…}` up to containerd 2.1, `name:"a"  uid:"b"  …` since 2.2. */
const SANDBOX = /^RunPodSandbox for (.*?\b[Uu]id:"?([\w-]+).*) returns sandbox id "([0-9a-f]{64})"/;
const NAME = /\b[Nn]ame:"?([\w.-]+)/;
const NAMESPACE = /\b[Nn]amespace:"?([\w.-]+)/;
const ATTEMPT = /\b[Aa]ttempt:(\d+)/;
/** `&ContainerMetadata{Name:a,Attempt:0,}` up to containerd 2.1, `name:"a"` since 2.2. */
const CREATED =
  /^CreateContainer within sandbox "([0-9a-f]{64})" for (.*?\b[Nn]ame:"?([\w.-]+).*) returns container id "([0-9a-f]{64})"/;
/** The shim of gVisor writes into containerd's log: what it executes, and that it failed to. */
const RUNSC = /\brunsc\b/;
const ID = /\b[0-9a-f]{64}\b/g;

/** cmd/containerd/command/main.go: the last line of its start. */
const BOOTED = /^containerd successfully booted in /;

/** Most lines of a log are none of these. */
const TEXTS: readonly RegExp[] = [BOOTED, SANDBOX, CREATED, RUNSC, ...PATTERNS.map(([, text]) => text)];

/** The observations in the journal. */
type Said = RuntimeEvent | RuntimeCreated | RuntimeHandler | RuntimeRestarted | SandboxCreated | Lost;

/**
 * Reads containerd's journal: made containers, out-of-memory events, exits, lost shims, stop requests, starts, and its
 * own start.
 */
export function parseContainerd(
  content: EvidenceText,
  file: string,
  context: JournalContext = ALONE,
): Said[] {
  const losses: Lost[] = [];
  const entries = readJournal(content, file, 'containerd', (lost) => losses.push(lost), context);
  const said = readContainerdEntries(entries, file);
  return [...losses, ...said];
}

/** What lines of containerd say, in their order. */
export function readContainerdEntries(entries: Iterable<JournalEntry>, where: Where): Said[] {
  const observations: Said[] = [];
  const pods = new Map<string, string>();
  const made: Omit<RuntimeCreated, 'podUid'>[] = [];
  const sandboxed = new Set<string>();
  for (const entry of entries) {
    const message = unwrap(entry.message);
    if (!TEXTS.some((text) => text.test(message))) continue;
    const base = baseOf('containerd', entry.at, where, entry.line, message);
    if (BOOTED.test(message)) observations.push({ kind: 'runtime-restarted', ...base });
    const sandbox = readSandbox(message);
    if (sandbox !== undefined) {
      pods.set(sandbox.sandboxId, sandbox.podUid);
      observations.push({ kind: 'sandbox-created', ...base, ...sandbox });
    }
    const created = readCreated(message);
    if (created !== undefined) made.push({ kind: 'runtime-created', ...base, ...created });
    for (const [id] of RUNSC.test(message) ? message.matchAll(ID) : [])
      if (!sandboxed.has(id)) {
        sandboxed.add(id);
        observations.push({ kind: 'runtime-handler', ...base, containerId: id, handler: 'runsc' });
      }
    for (const [kind, pattern] of PATTERNS) {
      const containerId = pattern.exec(message)?.[1];
      if (containerId === undefined) continue;
      observations.push({
        kind,
        ...base,
        containerId,
        execId: kind === 'runtime-exit' ? execIdIn(message, containerId) : undefined,
        pid: numberAfter(message, /[, {]pid:|[,{]Pid:/),
        exitStatus:
          kind === 'runtime-exit' ? (numberAfter(message, /exit_status:|ExitStatus:/) ?? 0) : undefined,
      });
    }
  }
  for (const created of made)
    observations.push({ ...created, podUid: pods.get(created.sandboxId ?? '') ?? '' });
  return observations;
}

function readSandbox(
  message: string,
): Pick<SandboxCreated, 'podUid' | 'sandboxId' | 'pod' | 'namespace'> | undefined {
  const [, of = '', podUid, sandboxId] = SANDBOX.exec(message) ?? [];
  if (podUid === undefined || sandboxId === undefined) return undefined;
  return { podUid, sandboxId, pod: NAME.exec(of)?.[1], namespace: NAMESPACE.exec(of)?.[1] };
}

function readCreated(
  message: string,
): Pick<RuntimeCreated, 'sandboxId' | 'container' | 'containerId' | 'attempt'> | undefined {
  const [, sandboxId, of = '', container, containerId] = CREATED.exec(message) ?? [];
  if (container === undefined || containerId === undefined) return undefined;
  // The text format of protobuf leaves out a zero.
  return { sandboxId, container, containerId, attempt: Number(ATTEMPT.exec(of)?.[1] ?? 0) };
}

/**
 * The exit event of a process that was added to a container has an id of its own; that of the first one has the
 * container's.
 */
function execIdIn(message: string, containerId: string): string | undefined {
  const id = /(?:[ {,]id:|,ID:)"?([\w.-]+)/.exec(message)?.[1];
  return id === undefined || id === containerId ? undefined : id;
}

/** The text of `msg="…"` in a logfmt line, and the fields behind it; without one, the line itself. */
function unwrap(message: string): string {
  const found = /(?:^|\s)msg=("(?:[^"\\]|\\.)*"|\S+)(.*)$/s.exec(message);
  return found === null ? message : `${unquote(found[1] ?? '')}${found[2] ?? ''}`;
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1); // a Go escape that JSON does not know, such as \x1b
  }
}

function numberAfter(message: string, label: RegExp): number | undefined {
  const found = new RegExp(`(?:${label.source})(\\d+)`).exec(message)?.[1];
  return found === undefined ? undefined : Number(found);
}
