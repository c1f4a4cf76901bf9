import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { shellQuote } from '../text/shell.ts';
import { measureNameSchema } from './declared-measure.ts';

/** What a sampler can read without a script of its own: a scenario says what, and the lab writes the script. */

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const nameSchema = z.string().regex(NAME, 'a name of lower-case letters, digits, - and .');

/** Files of the kernel with memory that went to swap and came back, in pages. */
const SWAPS = {
  in: 'memory that came back from swap since the node has booted',
  out: 'memory that went to swap since then',
} as const;

/** Metrics by whom they are of, with the path below the API server. `$NODE` is the name of the node. */
const METRICS: Readonly<Record<string, string>> = {
  'api-server': '/metrics',
  kubelet: '/api/v1/nodes/$NODE/proxy/metrics',
  'kubelet/cadvisor': '/api/v1/nodes/$NODE/proxy/metrics/cadvisor',
  'kubelet/resource': '/api/v1/nodes/$NODE/proxy/metrics/resource',
  'kubelet/probes': '/api/v1/nodes/$NODE/proxy/metrics/probes',
};

const HTTP = /^http:\/\/([A-Za-z0-9.-]+):(\d{1,5})(\/[^\s'"]*)$/;

/** A sampler that prints more is broken, whatever it measures. */
const MOST_ABSENT = 1_000_000_000;

const metricSchema = z.strictObject({
  of: z
    .string()
    .refine((of) => Object.hasOwn(METRICS, of) || HTTP.test(of), {
      error: `one of ${Object.keys(METRICS).join(', ')}, or http://<address>:<port>/<path>`,
    })
    .describe(
      'Who exports it: the API server, the kubelet, or an address as the node reaches it, without TLS.',
    ),
  name: z
    .string()
    .regex(/^[a-zA-Z_:][\w:]*$/, 'the name of a metric')
    .describe('Name of the metric, as Prometheus has it.'),
  labels: z
    .record(z.string().regex(/^[a-zA-Z_]\w*$/, 'the name of a label'), z.string())
    .default({})
    .describe('Labels that a series must have; all such series are added up.'),
  absent: z
    .number()
    .nonnegative()
    .max(MOST_ABSENT)
    .optional()
    .describe('What counts where there is no such series; left out: nothing is measured then.'),
});

const cgroupFileSchema = z.strictObject({
  file: z
    .string()
    .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/, 'a file of a cgroup: memory.swap.current')
    .describe('Name of the file.'),
  key: z
    .string()
    .regex(/^[\w.]+$/, 'a word at the beginning of a line')
    .optional()
    .describe('The line of it, in a file that has several: `oom_kill` of `memory.events`.'),
  cgroup: z
    .string()
    .regex(/^\/(?!.*\.\.)[^\s'"]*$/, 'a path such as /kubepods.slice')
    .optional()
    .describe("The cgroup; left out: that of the victim's container."),
});

const objectsSchema = z.strictObject({
  kind: z
    .string()
    .regex(/^[a-z]+(\.[a-z0-9.-]+)?$/, 'a kind as kubectl takes it: pods')
    .describe('Kind of the objects, as `kubectl get` takes it.'),
  namespace: nameSchema.optional().describe('Where they are; left out: everywhere.'),
  selector: z.string().min(1).optional().describe('Label selector.'),
  fieldSelector: z.string().min(1).optional().describe('Field selector: `status.phase=Running`.'),
});

/** Schema of `reads` of a sampler. */
export const samplerReadingSchema = z
  .strictObject({
    measure: measureNameSchema.describe(
      'The measure that it gives: one that `measures` declares, or a built-in one.',
    ),
    swap: oneOf(SWAPS, 'Swap of the whole node, in MiB').optional(),
    metric: metricSchema.optional().describe('A metric in the text format of Prometheus.'),
    cgroup: cgroupFileSchema
      .optional()
      .describe('A file of a cgroup; `max` is not a number, and is left out.'),
    objects: objectsSchema.optional().describe('How many objects the API has.'),
    restarts: z
      .string()
      .regex(/^[^/\s'"]+\/[^/\s'"]+\/[^/\s'"]+$/, 'namespace/pod/container')
      .optional()
      .describe('How often a container was restarted, as the API counts: `namespace/pod/container`.'),
  })
  .refine((reading) => WAYS.filter((way) => reading[way] !== undefined).length === 1, {
    error: 'exactly one of swap, metric, cgroup, objects and restarts',
  });

const WAYS = ['swap', 'metric', 'cgroup', 'objects', 'restarts'] as const;

/** What a sampler reads. */
type SamplerReading = z.infer<typeof samplerReadingSchema>;

/** The API is asked on the first node only, which has the credentials. */
export function isOfApi({ metric, objects, restarts }: SamplerReading): boolean {
  const isAsked = metric !== undefined && !HTTP.test(metric.of);
  return isAsked || objects !== undefined || restarts !== undefined;
}

/** The script of a sampler that only reads. It prints nothing while there is nothing to read, and fails when it cannot. */
export function renderReading(reading: SamplerReading): string {
  return ['set -o pipefail', ...commandsOf(reading), ''].join('\n');
}

const KUBECTL = 'kubectl --kubeconfig "${KUBECONFIG:-/etc/kubernetes/admin.conf}"';

function commandsOf({ measure, swap, metric, cgroup, objects, restarts }: SamplerReading): string[] {
  if (swap !== undefined)
    return [
      'PAGE=$(getconf PAGESIZE) || exit 1',
      `awk -v page="$PAGE" '$1 == "pswp${swap}" { printf "${measure} %.3f\\n", $2 * page / 1048576 }' /proc/vmstat`,
    ];
  if (metric !== undefined) return commandsOfMetric(measure, metric);
  if (cgroup !== undefined) return commandsOfCgroup(measure, cgroup);
  if (objects !== undefined) {
    const { kind, namespace, selector, fieldSelector } = objects;
    const where = namespace === undefined ? '--all-namespaces' : `--namespace ${namespace}`;
    const labels = selector === undefined ? '' : ` --selector ${shellQuote(selector)}`;
    const fields = fieldSelector === undefined ? '' : ` --field-selector ${shellQuote(fieldSelector)}`;
    return [
      `LIST=$(${KUBECTL} get ${kind} ${where}${labels}${fields} --ignore-not-found --output name) || exit 1`,
      `printf '${measure} %s\\n' "$(printf '%s\\n' "$LIST" | grep -c .)"`,
    ];
  }
  const [namespace = '', pod = '', container = ''] = (restarts ?? '').split('/');
  const path = `{range .status.initContainerStatuses[*]}{.name}{" "}{.restartCount}{"\\n"}{end}{range .status.containerStatuses[*]}{.name}{" "}{.restartCount}{"\\n"}{end}`;
  return [
    `LIST=$(${KUBECTL} get pod ${shellQuote(pod)} --namespace ${shellQuote(namespace)} --ignore-not-found --output jsonpath=${shellQuote(path)}) || exit 1`,
    `printf '%s\\n' "$LIST" | awk -v name=${shellQuote(container)} '$1 == name { print "${measure} " $2 }'`,
  ];
}

function commandsOfMetric(
  measure: string,
  { of, name, labels, absent }: z.infer<typeof metricSchema>,
): string[] {
  const wanted = Object.entries(labels).map(
    ([label, value]) => `/[{,]${label}=${quoteForPattern(JSON.stringify(value))}[,}]/`,
  );
  const condition = [`$0 ~ /^${name}[{ ]/`, ...wanted].join(' && ');
  const otherwise = absent === undefined ? '' : `; else print "${measure} ${absent}"`;
  return [
    ...fetchOf(of),
    // A line may end in the time of its value. A here-string of this size would be a file, which a sampler may not write.
    `printf '%s\\n' "$TEXT" | awk '${condition} { sub(/^[^{ ]*([{].*[}])?[ ]+/, ""); sum += $1; seen = 1 } END { if (seen) printf "${measure} %.6f\\n", sum${otherwise} }'`,
  ];
}

function fetchOf(of: string): string[] {
  const path = METRICS[of];
  if (path !== undefined)
    return ['NODE=$(hostname) || exit 1', `TEXT=$(${KUBECTL} get --raw "${path}") || exit 1`];
  const [, host = '', port = '', below = '/'] = HTTP.exec(of) ?? [];
  return [
    `exec 3<> /dev/tcp/${host}/${port} || exit 1`,
    // The older version of the protocol has no chunks, and ends with the connection.
    `printf 'GET %s HTTP/1.0\\r\\nHost: ${host}\\r\\n\\r\\n' '${below}' >&3`,
    "TEXT=$(tr -d '\\r' <&3) || exit 1",
    `case $TEXT in 'HTTP/1.'?' 200'*) ;; *) printf '%s\\n' "\${TEXT%%$'\\n'*}" >&2; exit 1 ;; esac`,
  ];
}

function commandsOfCgroup(
  measure: string,
  { file, key, cgroup }: z.infer<typeof cgroupFileSchema>,
): string[] {
  const controller = file.split('.')[0] ?? '';
  return [
    ...(cgroup === undefined ? ['[ -n "$VICTIM_CGROUP" ] || exit 0'] : []),
    `CGROUP=${cgroup === undefined ? '$VICTIM_CGROUP' : shellQuote(cgroup)}`,
    'ROOT=${CGROUP_ROOT:-/sys/fs/cgroup}',
    `[ -e "$ROOT/cgroup.controllers" ] || ROOT=$ROOT/${controller}`,
    key === undefined
      ? `awk 'NR == 1 && $1 != "max" { print "${measure} " $1 }' "$ROOT$CGROUP/${file}"`
      : `awk '$1 == "${key}" { print "${measure} " $2 }' "$ROOT$CGROUP/${file}"`,
  ];
}

/** A text as it is in a pattern of awk, inside quotes of the shell. */
function quoteForPattern(text: string): string {
  return [...text]
    .map((letter) => (/[A-Za-z0-9 _-]/.test(letter) ? letter : `[${escapeInBrackets(letter)}]`))
    .join('');
}

function escapeInBrackets(letter: string): string {
  if (letter === "'") return "'\\''";
  return letter === '\\' || letter === '^' || letter === '/' || letter === ']' ? `\\${letter}` : letter;
}
