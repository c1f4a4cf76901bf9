import { STIMULUS_KINDS, STIMULUS_TABLE, type StimulusRow } from '../../lab/model/declared/stimulus.ts';
import { inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';

/** Renders the table of stimuli for docs/writing-a-scenario.md. */
export function renderStimuli(): string {
  const rows: Readonly<Record<string, StimulusRow>> = STIMULUS_TABLE;
  return [
    ...markdownHead(['kind', 'does', 'its own fields']),
    ...STIMULUS_KINDS.map((kind) => {
      const fields = Object.keys(rows[kind]?.fields ?? {}).map(inlineCode);
      return markdownRow([inlineCode(kind), rows[kind]?.does ?? '', fields.join(', ') || '-']);
    }),
  ].join('\n');
}
