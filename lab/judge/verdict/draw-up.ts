import { UNNAMED_POD } from '../../model/evidence/unnamed-pod.ts';
import type { Attribution, Claim } from '../../model/saved/formats.ts';
import type { CaseFile } from '../case/case-file.ts';
import { attribute } from '../killer/attribute.ts';
import { becauseOf, chainOf, type Conclusion } from '../killer/conclusion.ts';
import { weigh } from '../killer/confidence.ts';
import { collectFindings } from '../killer/findings.ts';
import { prove } from '../killer/prove.ts';
import { readMemoryFigures } from '../measures/memory-figures.ts';
import { collectClaims } from './claims.ts';

/** What is said of one end, whatever was expected of it. */
export interface DrawnUp {
  readonly conclusion: Conclusion;
  readonly attribution: Attribution;
  readonly claims: readonly Claim[];
}

/** Names who ended the container of a case, and says who claimed what. */
export function drawUp(file: CaseFile): DrawnUp {
  const attributed = attribute(file);
  const { conclusion } = attributed;
  const { excluded, open } = isUnstarted(file, conclusion) ? NOTHING_TO_WEIGH : attributed;
  const beside = collectFindings(file, conclusion);
  const attribution: Attribution = {
    killer: conclusion.killer,
    ...(conclusion.level === undefined ? {} : { level: conclusion.level }),
    ...(conclusion.how === undefined ? {} : { how: conclusion.how }),
    ...(conclusion.process === undefined ? {} : { process: conclusion.process }),
    victim: describeVictim(file, conclusion),
    ...weigh(file, conclusion, beside, open),
    because: becauseOf(conclusion),
    chain: chainOf(conclusion),
    findings: beside,
    excluded: [...excluded],
    open: [...open],
    proof: prove(file, attributed),
    ...readMemoryFigures(file),
  };
  return { conclusion, attribution, claims: collectClaims(file, conclusion) };
}

const NOTHING_TO_WEIGH = { excluded: [], open: [] } as const;

/** Whether there is no end to explain: the API has the container wait and knows of no end, and no container of that name ever existed. */
function isUnstarted(file: CaseFile, { killer }: Conclusion): boolean {
  const { containerId, view } = file;
  const isWaiting = view?.state === 'waiting' && view.restartCount === 0 && view.last === undefined;
  return killer === 'unknown' && containerId === '' && isWaiting;
}

function describeVictim(file: CaseFile, conclusion: Conclusion): string {
  const process = conclusion.pid ?? file.init;
  const name = nameContainer(file);
  return process === undefined ? name : `${name} pid ${process.pid} (${process.comm})`;
}

/** `eater/eater`. A text of somebody may lack the name of the pod, of the container, or of both. */
function nameContainer({ pod, record, containerId }: CaseFile): string {
  const container = record.victim.container || containerId.slice(0, 12);
  return [pod.name || UNNAMED_POD, container].filter(Boolean).join('/');
}
