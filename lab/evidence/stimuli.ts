import type { CellRecord, PodsAsked, StimulusDone } from '../model/evidence/observation.ts';
import { linesOf, baseOf, timeOf, type EvidenceText } from './lines.ts';

/** What the stimuli that ask the API to end pods say of it in the record; the pods are last, with commas between. */
const ASKED: Readonly<Record<string, { readonly how: PodsAsked['how']; readonly said: RegExp }>> = {
  'delete-pod': { how: 'delete', said: /^deleted pod (.+)$/ },
  'evict-pod': { how: 'eviction-api', said: /^asked the eviction API for pod (.+)$/ },
  'drain-node': { how: 'eviction-api', said: /^cordoned \S+ and evicted (.+)$/ },
};

/**
 * Reads from the record of the cell what the lab itself did to the victim.
 *
 * @param content the saved text of the record, for the line; empty when there is none.
 */
export function parseStimuli(content: EvidenceText, file: string, record: CellRecord): StimulusDone[] {
  const lines = [...linesOf(content)];
  return record.stimuli.map((stimulus) => {
    const at = timeOf(stimulus.at);
    const line = lines.find(({ text }) => text.includes(JSON.stringify(stimulus.detail)))?.number;
    const [, senderPid, pid] = /sent by pid (\d+) to pid (\d+)/.exec(stimulus.detail) ?? [];
    const text = `${stimulus.kind} on ${stimulus.node}: ${stimulus.detail}`;
    return {
      kind: 'stimulus',
      ...baseOf('stimulus', at, file, line, text),
      node: stimulus.node,
      senderPid: senderPid === undefined ? undefined : Number(senderPid),
      pid: pid === undefined ? undefined : Number(pid),
      asked: findAsked(stimulus, record.victim.namespace),
    };
  });
}

function findAsked(
  { kind, detail }: CellRecord['stimuli'][number],
  namespace: string,
): PodsAsked | undefined {
  const asks = ASKED[kind];
  const pods = asks?.said.exec(detail)?.[1];
  return asks === undefined || pods === undefined
    ? undefined
    : { how: asks.how, namespace, pods: pods.split(', ') };
}
