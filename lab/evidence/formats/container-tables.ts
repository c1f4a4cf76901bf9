import type { RowEntry, RuntimeEntry } from './entry.ts';
import type { Format } from './format.ts';

type Groups = Readonly<Record<string, string | undefined>>;

/** `docker ps`, of podman and nerdctl too, and `docker compose ps`. Cells may have blanks in them, and whole columns be empty. */
const DOCKER_HEADER = /^\s*(?:CONTAINER ID\s+IMAGE\s+COMMAND|NAME\s+(?:IMAGE\s+)?COMMAND|NAMES\s+STATUS)\b/;
/** `Exited (137) 3 minutes ago`; `Exit 137` of docker-compose 1. */
const ENDED =
  /^(?<first>[\w.-]{1,255})\s(?:.*\s)?(?:(?:Exited|Restarting) \((?<code>\d{1,3})\)(?: (?<ago>[\w ]{1,40}? ago))?|Exit (?<old>\d{1,3}))(?:\s+(?<rest>\S.*?))?\s*$/s;
const LIVES =
  /^[\w.-]{1,255}\s(?:.*\s)?(?:Up (?:\d|About |Less )|Created\s|Dead\s|Paused\s|Removal In Progress\s)/s;
/** What the kubelet calls its containers in Docker: container, pod, namespace, uid, attempt. */
const OF_KUBELET =
  /^k8s_(?<container>[a-z0-9-]+)_(?<pod>[a-z0-9.-]+)_(?<namespace>[a-z0-9-]+)_(?<uid>[0-9a-f-]{32,36})_(?<attempt>\d+)$/;

/** Tables of containers of Docker and of what is like it. */
export const dockerPs: Format = formatOfRows('docker ps', DOCKER_HEADER, ({ number, text }) => {
  const found = ENDED.exec(text)?.groups;
  if (found === undefined) return LIVES.test(text) ? [] : undefined;
  const { first = '', rest = '' } = found;
  const isId = /^[0-9a-f]{12}$|^[0-9a-f]{64}$/.test(first);
  const name = isId ? (rest.split(/\s+/).at(-1) ?? '') : first;
  const kubelet: Groups = OF_KUBELET.exec(name)?.groups ?? {};
  // The sandbox ends with its pod.
  if (kubelet['container'] === 'POD') return [];
  const { container, pod = '', namespace = '', uid = '', attempt } = kubelet;
  return [
    rowOf({
      line: number,
      containerId: isId ? first : name,
      exitCode: Number(found['code'] ?? found['old']),
      container: container ?? (name || first),
      pod,
      namespace,
      podUid: uid,
      attempt: attempt === undefined ? undefined : Number(attempt),
    }),
  ];
});

const CRICTL_HEADER = /^\s*(?:CONTAINER(?: ID)?\s+IMAGE\s+CREATED\s+STATE|POD ID\s+CREATED\s+STATE)\b/;
const CRICTL =
  /^(?<id>[0-9a-f]{13}|[0-9a-f]{64})\s+\S+\s.*?\sago\s+(?<state>Running|Exited|Created|Unknown)\s+(?<container>[a-z0-9-]+)\s+(?<attempt>\d+)\s+(?<podId>[0-9a-f]{13}|[0-9a-f]{64})(?:\s+(?<pod>[a-z0-9.-]+))?(?:\s+(?<namespace>[a-z0-9-]+))?\s*$/s;
const CRICTL_POD =
  /^[0-9a-f]{13}\s.*?\sago\s+(?:Ready|NotReady)\s+[a-z0-9.-]+\s+[a-z0-9-]+\s+\d+(?:\s+\S+)?\s*$/s;

/** `crictl ps -a`, which does not say with which code a container ended, and `crictl pods`. */
export const crictlPs: Format = formatOfRows('crictl ps', CRICTL_HEADER, ({ number, text }) => {
  const found = CRICTL.exec(text)?.groups;
  if (found === undefined) return CRICTL_POD.test(text) ? [] : undefined;
  if (found['state'] !== 'Exited') return [];
  const { id = '', container = '', attempt, pod = '', namespace = '' } = found;
  return [
    rowOf({
      line: number,
      containerId: id,
      exitCode: undefined,
      container,
      pod,
      namespace,
      podUid: pod,
      attempt: Number(attempt),
    }),
  ];
});

function formatOfRows(
  name: 'docker ps' | 'crictl ps',
  header: RegExp,
  read: (line: { readonly number: number; readonly text: string }) => readonly RowEntry[] | undefined,
): Format {
  return {
    name,
    classify: (lines) => (lines.slice(0, 3).some((text) => header.test(text)) ? 0.9 : 0),
    createReader: () => ({
      line: (line) => (header.test(line.text) ? [] : (read(line) ?? 'unread')),
      end: () => [],
    }),
    begins: (text) => header.test(text) || (read({ number: 1, text })?.length ?? 0) > 0,
  };
}

type Told = Pick<
  RuntimeEntry,
  'line' | 'containerId' | 'container' | 'pod' | 'namespace' | 'podUid' | 'attempt'
> & { readonly exitCode: number | undefined };

/** What the runtime said of an end, of which a table leaves most out: the reason, the times, the whole id. */
function rowOf({ exitCode, ...told }: Told): RowEntry {
  const { line, containerId, container, attempt, pod, namespace } = told;
  const tells: RuntimeEntry = {
    kind: 'runtime',
    ...told,
    status: {
      id: containerId,
      state: 'CONTAINER_EXITED',
      exitCode,
      metadata: { name: container, attempt },
    },
    sandboxId: undefined,
    startedAt: undefined,
    finishedAt: undefined,
  };
  return { kind: 'row', line, namespace: namespace || undefined, name: pod, ends: undefined, tells };
}
