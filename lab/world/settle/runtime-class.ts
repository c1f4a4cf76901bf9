/** A Kubernetes object as parsed. */
type Manifest = Readonly<Record<string, unknown>>;

/** Where the pod template of a workload is; a pod is its own. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  Deployment: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
};

/**
 * Puts the pods of a scenario under a RuntimeClass: those in the victim's namespace that name none of their own. All
 * else stays as it is. Pure.
 */
export function withRuntimeClass(manifest: Manifest, namespace: string, runtimeClass: string): Manifest {
  const path = TEMPLATES[String(manifest['kind'])];
  const metadata = manifest['metadata'] as { namespace?: string } | undefined;
  if (path === undefined || (metadata?.namespace ?? 'default') !== namespace) return manifest;
  return setClass(manifest, path, runtimeClass);
}

function setClass(object: Manifest, path: readonly string[], runtimeClassName: string): Manifest {
  const [key, ...rest] = path;
  const name = key ?? 'spec';
  const child = (object[name] ?? {}) as Manifest;
  const changed =
    key === undefined ? { runtimeClassName, ...child } : setClass(child, rest, runtimeClassName);
  return { ...object, [name]: changed };
}
