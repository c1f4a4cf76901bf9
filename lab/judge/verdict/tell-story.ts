import type { EvidenceRef } from '../../model/saved/formats.ts';
import type { CellRecord, Observation, PodSeen, RuntimeEvent } from '../../model/evidence/observation.ts';
import type { Story } from '../../model/evidence/story.ts';
import type { CaseFile } from '../case/case-file.ts';
import { refs } from '../killer/conclusion.ts';
import { listRuntimeEvents } from '../case/end-words.ts';
import { readMemorySeries } from '../measures/memory-series.ts';
import { openCase } from '../case/open-case.ts';
import { indexEvidence } from '../records/evidence-index.ts';
import { ofContainer } from '../records/of-container.ts';

/**
 * Tells what happened to the victim of a cell and to its pod, layer by layer, and what memory they used; undefined when no
 * pod matches. It judges nothing.
 *
 * @param observations as `readEvidence` returns them, sorted by time.
 */
export function tellStory(record: CellRecord, observations: readonly Observation[]): Story | undefined {
  const file = openCase(record, indexEvidence(observations));
  if (file === undefined) return undefined;
  return {
    events: listEvents(file),
    startedAt: findStart(file),
    endedAt: file.endedAt,
    memory: readMemorySeries(file),
  };
}

function listEvents(file: CaseFile): EvidenceRef[] {
  const { index, node } = file;
  const counters = index
    .of('cgroup-values')
    .filter((reading) => file.cgroups.holds(reading.path) && Number(reading.values.oom_kill ?? 0) > 0);
  const starts = listStarts(file);
  const events = [
    ...index.of('stimulus'),
    ...listChanges(file.versions),
    ...file.podEvents,
    // That the kubelet heard of the pod says nothing about its end.
    ...file.kubeletLines.filter(({ about }) => about !== 'pod-told' && about !== 'event-lost'),
    ...starts,
    ...listRuntimeEvents(file),
    ...index.of('system-said').filter((line) => line.node === node),
    ...counters,
    ...file.oom.kills,
    ...file.signals.map(({ sent }) => sent),
  ].map(({ ref }) => ref);
  const own = refs(...events, file.init?.ref, file.initExit?.ref).filter(({ at }) => at !== '');
  return own.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function listStarts({ index, containerId }: CaseFile): readonly RuntimeEvent[] {
  return containerId === '' ? [] : ofContainer(index.of('runtime-start'), containerId);
}

/** The runtime and the witness know it to the millisecond, the API to the second. */
function findStart(file: CaseFile): number | undefined {
  return listStarts(file)[0]?.at ?? file.first?.from ?? file.end?.startedAt ?? file.view?.startedAt;
}

/** The versions of pods that say something new about them. */
function listChanges(versions: readonly PodSeen[]): PodSeen[] {
  const last = new Map<string, string>();
  return versions.filter((pod) => {
    const isNew = last.get(pod.uid) !== pod.ref.text;
    last.set(pod.uid, pod.ref.text);
    return isNew;
  });
}
