import type { Lost, NodeAnswered } from '../model/evidence/observation.ts';
import { baseOf, numberOf, parseObject, stringOf, type EvidenceText } from './lines.ts';
import { parseLines } from './parse-lines.ts';

/** What a line of the file may say. */
const KINDS = ['start', 'answer', 'silence', 'stop'] as const;

/** Reads how nodes answered the host: `{kind, at, node, asked?, error?}` (`lab/drivers/ssh/heartbeat.ts` writes it). */
export function parseHeartbeat(content: EvidenceText, file: string): (NodeAnswered | Lost)[] {
  const lines = { source: 'heartbeat', broken: 'a line is not an answer of a node' } as const;
  return parseLines(content, file, lines, ({ text, number }) => {
    const fields = parseObject(text);
    const at = numberOf(fields?.at);
    const node = stringOf(fields?.node);
    const said = KINDS.find((kind) => kind === fields?.kind);
    if (at === undefined || node === undefined || said === undefined) return 'broken';
    return { kind: 'node-answered' as const, ...baseOf('heartbeat', at, file, number, text), node, said };
  });
}
