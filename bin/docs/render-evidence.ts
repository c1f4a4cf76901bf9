import {
  COLLECTED,
  EVIDENCE_FILES,
  EVIDENCE_SOURCES,
  evidencePath,
} from '../../lab/model/evidence/evidence-files.ts';
import { explainNames } from '../../lab/model/text/names-of.ts';
import { inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';

/** Renders the table of evidence files for docs/run-folder.md, with a node called `node-1`. */
export function renderEvidenceTable(): string {
  return [
    ...markdownHead(['file', 'whose words', 'what it tells', 'collected', 'if never collected']),
    ...EVIDENCE_SOURCES.map((source) => {
      const { writtenBy, tells, collected, optional } = EVIDENCE_FILES[source];
      const file = inlineCode(evidencePath(source, 'node-1'));
      return markdownRow([file, writtenBy, tells, collected, optional ? 'nothing is lost' : 'is lost']);
    }),
    '',
    `Collected: ${explainNames(COLLECTED)}.`,
  ].join('\n');
}
