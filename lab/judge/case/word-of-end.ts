import { earliest } from '../records/times.ts';
import type { CaseFile } from './case-file.ts';

/**
 * Whether the runtime or the kubelet says that it stopped this very container, or that it ended.
 *
 * @param mayBeAsked whether to be asked to stop is not a word of an end: a program may ignore it for as long as its grace period.
 */
export function hasWordOfEnd(
  { index, containerId, kubeletLines, node }: CaseFile,
  mayBeAsked = false,
): boolean {
  const isOwn = isOf(containerId, node);
  return (
    index.of('runtime-exit').some(isOwn) ||
    index.of('runtime-gone').some(isOwn) ||
    (!mayBeAsked && index.of('runtime-stop').some(isOwn)) ||
    index.of('runtime-record').some((status) => isOwn(status) && status.state === 'CONTAINER_EXITED') ||
    kubeletLines.some(
      (line) =>
        line.containerId === containerId &&
        (line.about === 'container-died' ||
          line.about === 'container-finished' ||
          (!mayBeAsked && line.about === 'killing-container')),
    )
  );
}

/** When this very container was first asked to stop, as the runtime or the kubelet says; undefined when it never was. */
export function findAskedAt({ index, containerId, kubeletLines, node }: CaseFile): number | undefined {
  const asked = index.of('runtime-stop').filter(isOf(containerId, node));
  const said = kubeletLines.filter(
    (line) => line.containerId === containerId && line.about === 'killing-container',
  );
  return earliest([...asked, ...said].map(({ at }) => at));
}

interface OfRuntime {
  readonly containerId: string;
  readonly execId?: string | undefined;
  readonly node: string | undefined;
}

function isOf(containerId: string, node: string | undefined): (record: OfRuntime) => boolean {
  return (record) =>
    record.containerId === containerId && record.execId === undefined && record.node === node;
}
