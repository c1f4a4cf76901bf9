import type { CaseFile } from './case-file.ts';

/** Whether the runtime or the kubelet says that it stopped this very container, or that it ended. */
export function hasWordOfEnd({ index, containerId, kubeletLines, node }: CaseFile): boolean {
  const isOwn = (record: {
    containerId: string;
    execId?: string | undefined;
    node: string | undefined;
  }): boolean => record.containerId === containerId && record.execId === undefined && record.node === node;
  return (
    index.of('runtime-exit').some(isOwn) ||
    index.of('runtime-gone').some(isOwn) ||
    index.of('runtime-stop').some(isOwn) ||
    index.of('runtime-record').some((status) => isOwn(status) && status.state === 'CONTAINER_EXITED') ||
    kubeletLines.some(
      (line) =>
        line.containerId === containerId &&
        (line.about === 'container-died' ||
          line.about === 'container-finished' ||
          line.about === 'killing-container'),
    )
  );
}
