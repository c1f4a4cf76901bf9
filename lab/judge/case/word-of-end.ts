import type { CaseFile } from './case-file.ts';

/** Whether the runtime or the kubelet says that it stopped this very container, or that it ended. */
export function hasWordOfEnd({ index, containerId, kubeletLines, node }: CaseFile): boolean {
  const isOwn = (each: {
    containerId: string;
    execId?: string | undefined;
    node: string | undefined;
  }): boolean => each.containerId === containerId && each.execId === undefined && each.node === node;
  return (
    index.of('runtime-exit').some(isOwn) ||
    index.of('runtime-gone').some(isOwn) ||
    index.of('runtime-stop').some(isOwn) ||
    index.of('runtime-record').some((each) => isOwn(each) && each.state === 'CONTAINER_EXITED') ||
    kubeletLines.some(
      (each) =>
        each.containerId === containerId &&
        (each.about === 'container-died' || each.about === 'killing-container'),
    )
  );
}
