import type { CellRecord, StimulusDone } from '../model/evidence/observation.ts';
import { linesOf, baseOf, timeOf, type EvidenceText } from './lines.ts';

/**
 * Reads from the record of the cell what the lab itself did to the victim.
 *
 * @param content the saved text of the record, for the line; empty when there is none.
 */
export function parseStimuli(content: EvidenceText, file: string, record: CellRecord): StimulusDone[] {
  const lines = [...linesOf(content)];
  return record.stimuli.map((each) => {
    const at = timeOf(each.at);
    const line = lines.find(({ text }) => text.includes(JSON.stringify(each.detail)))?.number;
    const [, senderPid, pid] = /sent by pid (\d+) to pid (\d+)/.exec(each.detail) ?? [];
    const text = `${each.kind} on ${each.node}: ${each.detail}`;
    return {
      kind: 'stimulus',
      ...baseOf('stimulus', at, file, line, text),
      node: each.node,
      senderPid: senderPid === undefined ? undefined : Number(senderPid),
      pid: pid === undefined ? undefined : Number(pid),
    };
  });
}
