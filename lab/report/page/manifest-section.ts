import type { Asked } from '../../model/evidence/story.ts';
import { elementText, html, type Html } from '../text/html.ts';

/** Renders the manifests of the scenario, and says what an older run did not save. */
export function renderManifestSection(asked: Asked | undefined): Html {
  const { title, manifest, from } = asked ?? {};
  const lacks = [...(title === undefined ? ['title'] : []), ...(from === 'manifests' ? [] : ['manifests'])];
  const missing =
    lacks.length === 0
      ? ''
      : html`<p class="hint">This run did not save the ${lacks.join(' and the ')} of its scenario.</p>`;
  const heading = from === 'manifests' ? 'manifests' : 'the pod of the victim, as the API first had it';
  return html`<h3>manifest</h3>
    ${missing}
    ${
      manifest === undefined
        ? ''
        : html`<details class="manifest">
            <summary>${heading}</summary>
            ${renderLines(manifest)}
          </details>`
    }`;
}

/** Indentation means something in YAML, so each line is a text of its own. */
function renderLines(text: string): Html {
  return html`<pre tabindex="0" role="region" aria-label="Manifest">
${text.split('\n').map((line) => html`${elementText(line)}<br />`)}</pre>`;
}
