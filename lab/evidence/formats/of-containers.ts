import { isObject, tryParseJson } from '../../model/files/parse-json.ts';

type Fields = Record<string, unknown>;

/** Fields of a record of a container's own output, which collectors take from files of the runtime. */
const OF_OUTPUT = ['stream', 'kubernetes', 'log'];
/** How collectors call the pod or the container that a line is of, each in its own way: `pod`, `container_name`, `k8s.pod.uid`. */
const OF_POD =
  /^(?:(?:k8s|kube|kubernetes|docker)[._])?(?:pod|container|namespace)(?:[._]?(?:name|id|uid|image(?:[._]\w+)*))?$/i;
/** Tags of Datadog. */
const TAG = /^(?:container_|kube_|pod_|short_image|docker_)/;
/** Where runtimes keep what containers print, also in names of streams, and what collectors call the rest. */
const PLACE =
  /\bvar[/.]log[/.](?:pods|containers)\b|\/docker\/containers\/|^kube:container|\/containerinsights\/\S*\/application$/;
/** The line itself, which may say anything. */
const LINE = /^(?:@?message|msg|_raw|line|log|content|syslogmessage|textpayload)$/i;
/** Labels as one text: `{container="app"}`, `{"pod":"web-0"}`. */
const AS_TEXT = /[{,]\s*"?(?<name>[\w.]+)"?\s*[:=]/g;

/** Whether a record of a collector of logs is of what a container printed, whoever it says that it is. */
export function isPrintedByContainer(value: Fields): boolean {
  return OF_OUTPUT.some((name) => name in value) || namesContainer(value, 0);
}

/** Whether a record has its text from the file of a container: one that names a container may be the runtime's own. */
export function isOutput(value: Fields): boolean {
  return value['stream'] === 'stdout' || value['stream'] === 'stderr' || isObject(value['kubernetes']);
}

/** Whether labels that were printed as text name a pod or a container. */
export function areOfContainer(labels: string): boolean {
  const value = tryParseJson(labels);
  if (isObject(value)) return isPrintedByContainer(value);
  return (
    PLACE.test(labels) ||
    [...labels.matchAll(AS_TEXT)].some(({ groups }) => OF_POD.test(groups?.['name'] ?? ''))
  );
}

function namesContainer(value: Fields, depth: number): boolean {
  return Object.entries(value).some(([name, inner]) => {
    if (LINE.test(name)) return false;
    if (OF_POD.test(name) && inner !== '' && inner !== null) return true;
    if (typeof inner === 'string')
      return PLACE.test(inner) || (/^\s*\{/.test(inner) && areOfContainer(inner));
    if (Array.isArray(inner)) return inner.some((tag) => typeof tag === 'string' && TAG.test(tag));
    return depth < 2 && isObject(inner) && namesContainer(inner, depth + 1);
  });
}
