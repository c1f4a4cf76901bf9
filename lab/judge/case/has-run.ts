import { NEVER_RAN } from '../records/never-ran.ts';
import type { CaseFile } from './case-file.ts';
import { ofContainer } from '../records/of-container.ts';

/** Stages of runc inside a new container: `runc:[0:PARENT]`, `runc:[1:CHILD]`, `runc:[2:INIT]`. */
export const RUNC_STAGE = /^runc:\[/;

/** The judged container ran: what is said of a start is said of a later try, or of a process that was added to it. */
export function hasRun({ end, containerId, versions, index }: CaseFile): boolean {
  if (end?.reason !== undefined) return !NEVER_RAN.test(end.reason);
  if (containerId === '') return false;
  return (
    ofContainer(index.of('runtime-start'), containerId).some((event) => event.execId === undefined) ||
    versions.some((pod) => pod.containers.some((view) => view.id === containerId && view.state === 'running'))
  );
}
