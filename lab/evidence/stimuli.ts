import type { CellRecord, StimulusDone } from '../model/observation.ts';
import { refOf, timeOf } from './lines.ts';

/**
 * Reads what we ourselves did to the victim from the record of the cell.
 *
 * @param content the text of the record as it was saved, for the line; empty when there is none.
 */
export function parseStimuli(content: string, file: string, record: CellRecord): StimulusDone[] {
  const lines = content.split('\n');
  return record.stimuli.map((each) => {
    const at = timeOf(each.at);
    const index = lines.findIndex((line) => line.includes(JSON.stringify(each.detail)));
    const [, senderPid, pid] = /sent by pid (\d+) to pid (\d+)/.exec(each.detail) ?? [];
    const text = `${each.kind} on ${each.node}: ${each.detail}`;
    return {
      kind: 'stimulus',
      at,
      ref: refOf('stimulus', at, file, index < 0 ? undefined : index + 1, text),
      node: each.node,
      senderPid: senderPid === undefined ? undefined : Number(senderPid),
      pid: pid === undefined ? undefined : Number(pid),
    };
  });
}
