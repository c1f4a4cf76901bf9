import type { CellRecord, StimulusDone } from '../model/evidence/observation.ts';
import { linesOf, baseOf, timeOf, type EvidenceText } from './lines.ts';

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
    };
  });
}
