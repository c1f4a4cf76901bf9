import type { Lost, NodeAnswered } from '../model/evidence/observation.ts';
import { baseOf, linesOf, lostOf, numberOf, parseObject, stringOf, type EvidenceText } from './lines.ts';

/** What a line of the file may say. */
const KINDS = ['start', 'answer', 'silence', 'stop'] as const;

/** Reads how nodes answered the host: `{kind, at, node, asked?, error?}` (`lab/drivers/ssh/heartbeat.ts` writes it). */
export function parseHeartbeat(content: EvidenceText, file: string): (NodeAnswered | Lost)[] {
  const found: (NodeAnswered | Lost)[] = [];
  for (const { text, number, cut } of linesOf(content)) {
    const fields = parseObject(text);
    const at = numberOf(fields?.at);
    const node = stringOf(fields?.node);
    const said = KINDS.find((each) => each === fields?.kind);
    if (at === undefined || node === undefined || said === undefined) {
      if (!cut) found.push(lostOf('heartbeat', 'a line is no answer of a node', file, undefined, number));
      continue;
    }
    found.push({ kind: 'node-answered', ...baseOf('heartbeat', at, file, number, text), node, said });
  }
  return found;
}
