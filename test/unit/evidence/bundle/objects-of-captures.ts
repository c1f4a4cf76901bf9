import type { KubeEvent, PodSeen } from '../../../../lab/model/evidence/observation.ts';

/** An object of the API, as JSON has it. */
export type ApiObject = Readonly<Record<string, unknown>>;

interface Watched {
  readonly object: ApiObject;
}

/** The last version of each object of a watch, as the API has it in the end. */
export function lastVersionsOf(text: string, kind: string): ApiObject[] {
  const last = new Map<string, ApiObject>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const { object } = JSON.parse(line) as Watched;
    // An object that was written by hand has none.
    const { uid } = (object['metadata'] ?? {}) as { readonly uid?: string };
    last.set(uid ?? JSON.stringify(object), { apiVersion: 'v1', kind, ...object });
  }
  return [...last.values()];
}

/** The same objects as lines of a watch. */
export function watchOf(objects: readonly ApiObject[]): string {
  return objects.map((object) => `${JSON.stringify({ type: 'ADDED', object })}\n`).join('');
}

/** What an object says, without where and when it was seen. */
export function withoutSight({
  ref,
  at: _at,
  node: _node,
  boot: _boot,
  ...said
}: PodSeen | KubeEvent): object {
  return { ...said, deliveredAt: undefined, type: undefined, text: ref.text.replace(', gone', '') };
}

/** The same, whatever the order was. */
export function sortObjects(all: readonly object[]): object[] {
  return [...all].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}
