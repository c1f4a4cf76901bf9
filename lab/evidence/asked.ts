import { stringify } from 'yaml';
import type { CellRecord } from '../model/evidence/observation.ts';
import type { Asked } from '../model/evidence/story.ts';
import { tryParseJson } from '../model/files/parse-json.ts';
import { linesOf, type EvidenceText } from './lines.ts';
import { redactText } from './redact.ts';

/** Longest text of manifests, in lines; a longer one is cut. */
const MAX_LINES = 150;
const MAX_LENGTH = 12_000;

/** Fields of a pod that say how its containers are run and ended. */
const POD_FIELDS = [
  'restartPolicy',
  'terminationGracePeriodSeconds',
  'activeDeadlineSeconds',
  'priorityClassName',
  'hostPID',
  'shareProcessNamespace',
  'initContainers',
  'containers',
];
const CONTAINER_FIELDS = [
  'name',
  'image',
  'restartPolicy',
  'command',
  'args',
  'env',
  'resources',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'securityContext',
];

type Fields = Readonly<Record<string, unknown>>;

/**
 * What the scenario of a cell asked for: its title and manifests, as the cell saved them. A cell that saved no manifests
 * has the pod of the victim instead, as the API first had it. Secrets are taken out.
 *
 * @param pod name of the victim's pod.
 */
export function readAsked(
  record: CellRecord,
  files: ReadonlyMap<string, EvidenceText>,
  pod: string,
): Asked | undefined {
  const { title, manifests } = record;
  if (manifests !== undefined) return { title, manifest: toYaml(manifests), from: 'manifests' };
  const found = findPod(files.get('pods.jsonl'), record.victim.namespace, pod);
  if (title === undefined && found === undefined) return undefined;
  return { title, manifest: found === undefined ? undefined : toYaml([found]), from: 'pod' };
}

function findPod(content: EvidenceText | undefined, namespace: string, pod: string): Fields | undefined {
  if (content === undefined || pod === '') return undefined;
  for (const { text } of linesOf(content)) {
    if (!text.includes(pod)) continue;
    const seen = tryParseJson(text) as { object?: { metadata?: Fields; spec?: Fields } } | undefined;
    const { metadata, spec } = seen?.object ?? {};
    if (metadata?.name !== pod || metadata.namespace !== namespace || spec === undefined) continue;
    return {
      kind: 'Pod',
      metadata: pick(metadata, ['name', 'namespace', 'labels']),
      spec: pickPod(spec),
    };
  }
  return undefined;
}

function pickPod(spec: Fields): Fields {
  return Object.fromEntries(
    Object.entries(pick(spec, POD_FIELDS)).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((container: Fields) => pick(container, CONTAINER_FIELDS)) : value,
    ]),
  );
}

function pick(object: unknown, names: readonly string[]): Fields {
  const fields = Object.entries((object ?? {}) as Fields);
  return Object.fromEntries(fields.filter(([name]) => names.includes(name)));
}

function toYaml(objects: readonly unknown[]): string {
  const text = objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
  const lines = redactText(text.slice(0, MAX_LENGTH), 'manifests.yaml').trimEnd().split('\n');
  const isCut = lines.length > MAX_LINES || text.length > MAX_LENGTH;
  return [...lines.slice(0, MAX_LINES), ...(isCut ? ['# and more'] : [])].join('\n');
}
