import { RUN_EVENTS } from '../../lab/model/saved/run-event.ts';
import { inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';

/** Renders what each event of a run means, for docs/run-folder.md. */
export function renderEvents(): string {
  return [
    ...markdownHead(['event', 'means']),
    ...Object.entries(RUN_EVENTS).map(([event, means]) => markdownRow([inlineCode(event), means])),
  ].join('\n');
}
