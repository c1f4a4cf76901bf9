import { ownValue } from '../../model/text/own-value.ts';
import type { Observation, RuntimeEvent } from '../../model/evidence/observation.ts';
import type { JournalEntry } from '../journal.ts';
import { baseOf, type Where } from '../lines.ts';

/** An event of Docker or Podman about a container, as text. */
const EVENT = /^container (?<action>[a-z]+) (?<id>[0-9a-f]{64}) \((?<attributes>.*)\)$/s;
/** Somebody asked for a signal; the OOM killer does not (daemon/kill.go of moby). */
const KINDS: Readonly<Record<string, RuntimeEvent['kind']>> = {
  oom: 'runtime-oom',
  die: 'runtime-exit',
  died: 'runtime-exit',
  kill: 'runtime-stop',
  start: 'runtime-start',
};
const LABEL = 'io.kubernetes';
const ATTRIBUTE = /(?:^|, )([\w./-]+)=([^,)]*)/g;

/** What events of Docker and Podman say; nothing of other lines of a runtime. */
export function readDockerEvents(entries: Iterable<JournalEntry>, where: Where): Observation[] {
  const found: Observation[] = [];
  const made = new Set<string>();
  for (const { at, message, line } of entries) {
    const { action = '', id: containerId = '', attributes = '' } = EVENT.exec(message)?.groups ?? {};
    if (containerId === '') continue;
    const base = baseOf('containerd', at, where, line, message);
    const values = readAttributes(attributes);
    const valueOf = (name: string): string | undefined => values.get(name) || undefined;
    const podUid = valueOf(`${LABEL}.pod.uid`) ?? '';
    const [pod, namespace] = [valueOf(`${LABEL}.pod.name`), valueOf(`${LABEL}.pod.namespace`)];
    const isSandbox = valueOf(`${LABEL}.docker.type`) === 'podsandbox';
    if (!made.has(containerId)) {
      made.add(containerId);
      const attempt = valueOf('annotation.io.kubernetes.container.restartCount');
      found.push(
        isSandbox
          ? { kind: 'sandbox-created', ...base, podUid, sandboxId: containerId, pod, namespace }
          : {
              kind: 'runtime-created',
              ...base,
              podUid,
              container: valueOf(`${LABEL}.container.name`) ?? valueOf('name') ?? containerId.slice(0, 12),
              containerId,
              sandboxId: valueOf(`${LABEL}.sandbox.id`),
              attempt: attempt === undefined ? undefined : Number(attempt),
              pod,
              namespace,
            },
      );
    }
    const kind = ownValue(KINDS, action);
    if (kind === undefined || isSandbox) continue;
    const code = valueOf('exitCode') ?? valueOf('containerExitCode');
    const exitStatus = kind === 'runtime-exit' && code !== undefined ? Number(code) : undefined;
    found.push({ kind, ...base, containerId, execId: undefined, pid: undefined, exitStatus });
  }
  return found;
}

/** By name. A label may have the text of another attribute in its value: of two values nothing tells which one is true. */
function readAttributes(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(ATTRIBUTE))
    values.set(name, [undefined, value].includes(values.get(name)) ? value : '');
  return values;
}
