import { timeOfDay } from '../../lab/model/evidence/source-clocks.ts';
import type { CellResult } from '../../lab/model/saved/formats.ts';
import { laneOf, LANES, type Lane } from '../../lab/report/page/layers.ts';
import { html, type Html } from '../../lab/report/text/html.ts';
import { placeOf } from '../../lab/model/saved/place-of.ts';
import { listPlaces, shortenPaths } from '../../lab/report/text/page-rows.ts';
import { describeWho } from '../../lab/report/words/cell-words.ts';
import type { ProofRef } from '../../lab/report/words/order-of-time.ts';
import { asideOf, stepsOf } from '../../lab/report/words/proof-lines.ts';

/** The first picture of README.md: two deaths with one exit code, in the words and with the places of the judge. */

/** What is drawn of a cell. */
type PicturedCell = Pick<CellResult, 'scenario' | 'verdict' | 'attribution' | 'claims'>;

const CARD = { width: 440, gap: 24, left: 28, top: 62 };
/** Most records of one cell. */
const MAX_STEPS = 5;
/** Letters of a line. */
const LETTERS = 52;
const STEP_HEIGHT = 52;
/** Letters of the places of the proof. */
const PLACES = 47;
/** What is below the records: the claims and the killer. */
const CLAIM_HEIGHT = 18;
const KILLER_HEIGHT = 42;
/** The layers whose claims tell the two apart, and what most people look at. */
const SAID = ['cgroup', 'api'];

const COLOURS: Readonly<Partial<Record<Lane, string>>> = {
  kernel: '#ff7b72',
  cgroup: '#ffa657',
  lab: '#d2a8ff',
};
const QUIET = '#8b949e';

/** Draws the cells beside each other, as an SVG file. */
export function renderVerdictPicture(heading: string, cells: readonly PicturedCell[]): string {
  const shown = cells.map((cell) => ({ cell, steps: pickSteps(cell) }));
  const steps = Math.max(...shown.map((side) => side.steps.length));
  const height = 50 + steps * STEP_HEIGHT + SAID.length * CLAIM_HEIGHT + KILLER_HEIGHT + 32;
  const width = 2 * CARD.left + cells.length * (CARD.width + CARD.gap) - CARD.gap;
  const killers = cells.map((cell) => `${cell.scenario}: ${describeWho(cell)}`).join('; ');
  const whole = CARD.top + height + 26;
  const picture = html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 ${width} ${whole}"
    width="${width}"
    height="${whole}"
    role="img"
    aria-labelledby="title"
    font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
  >
    <title id="title">${heading} ${killers}</title>
    <rect
      x="0.5"
      y="0.5"
      width="${width - 1}"
      height="${whole - 1}"
      rx="12"
      fill="#0d1117"
      stroke="#30363d"
    />
    ${drawText(CARD.left, 40, 17, '#f0f6fc', heading, true)}
    ${shown.map((side, index) => drawCard(side, CARD.left + index * (CARD.width + CARD.gap), height))}
  </svg>`;
  return `${picture.text.replaceAll(/\n+/g, '\n')}\n`;
}

/** The records of the end; when there are many, of one source only the first of each step. */
function pickSteps({ attribution }: PicturedCell): ProofRef[] {
  const steps = stepsOf(attribution);
  if (steps.length <= MAX_STEPS) return [...steps];
  const firsts = steps.filter(
    ({ step, source }, index) =>
      !steps.slice(0, index).some((earlier) => earlier.step === step && earlier.source === source),
  );
  return firsts.slice(0, MAX_STEPS);
}

function drawCard(
  { cell, steps }: { readonly cell: PicturedCell; readonly steps: readonly ProofRef[] },
  left: number,
  height: number,
): Html {
  const x = left + 18;
  const said = CARD.top + 60 + steps.length * STEP_HEIGHT;
  const box = CARD.top + height - KILLER_HEIGHT - 14;
  const line = CARD.top + 54;
  const claims = cell.claims.filter(({ layer }) => SAID.includes(layer));
  return html`<rect
      x="${left}"
      y="${CARD.top}"
      width="${CARD.width}"
      height="${height}"
      rx="10"
      fill="#161b22"
      stroke="#30363d"
    />
    ${drawText(x, CARD.top + 28, 14, '#f0f6fc', cell.scenario, true)}
    <line
      x1="${x + 6}"
      y1="${line}"
      x2="${x + 6}"
      y2="${line + (steps.length - 1) * STEP_HEIGHT}"
      stroke="#30363d"
      stroke-width="2"
    />
    ${steps.map((step, index) => drawStep(step, x, line + index * STEP_HEIGHT))}
    ${claims.map(({ layer, says }, index) => {
      const y = said + index * CLAIM_HEIGHT;
      return html`${drawText(x, y, 11, QUIET, `${layer} says`)}${drawText(x + 80, y, 12, '#c9d1d9', cut(shortenPaths(says), 44))}`;
    })}
    <rect
      x="${left + 14}"
      y="${box}"
      width="${CARD.width - 28}"
      height="${KILLER_HEIGHT}"
      rx="8"
      fill="#0d1117"
      stroke="#3fb950"
    />
    ${drawText(left + 28, box + 18, 11, QUIET, 'killer')}${drawText(left + 88, box + 18, 12, '#3fb950', describeWho(cell), true)}
    ${drawText(left + 28, box + 34, 11, QUIET, 'proof')}${drawText(left + 88, box + 34, 11, '#c9d1d9', cut(listPlaces(cell.attribution.because), PLACES))}`;
}

function drawStep(ref: ProofRef, x: number, y: number): Html {
  const lane = laneOf(ref.source);
  const colour = COLOURS[lane] ?? QUIET;
  const [first = '', second = ''] = breakText(`${asideOf(ref)}${shortenPaths(ref.text)}`);
  return html`<circle cx="${x + 6}" cy="${y}" r="5" fill="${colour}" />
    ${drawText(x + 24, y + 4, 11, QUIET, timeOfDay(ref))}${drawText(x + 116, y + 4, 11, colour, LANES[lane], true)}${drawText(x + 180, y + 4, 11, QUIET, placeOf(ref))}
    ${drawText(x + 24, y + 19, 12, '#c9d1d9', first)}${second === '' ? '' : drawText(x + 24, y + 33, 12, '#c9d1d9', second)}`;
}

/** A text on two lines, cut behind them. */
function breakText(text: string): string[] {
  if (text.length <= LETTERS) return [text];
  const blank = text.lastIndexOf(' ', LETTERS);
  const at = blank > LETTERS / 2 ? blank : LETTERS;
  return [text.slice(0, at), cut(text.slice(at).trimStart(), LETTERS)];
}

function cut(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

function drawText(x: number, y: number, size: number, colour: string, text: string, isBold = false): Html {
  const weight = isBold ? html` font-weight="bold"` : '';
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${colour}" ${weight}>${text}</text>`;
}
