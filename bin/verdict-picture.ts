import { judgeCapture, loadCapture } from '../test/fixtures/evidence/load-capture.ts';
import { renderVerdictPicture } from './docs/render-verdict-picture.ts';

/** The captures that README.md judges. */
const CAPTURES = ['oom-single-container', 'sigkill-from-node'];

/** docs/images/verdict.svg, made by judging the captures of README.md. */
export function makeVerdictPicture(): string {
  const cells = CAPTURES.map((name) => {
    const capture = loadCapture(name);
    return { scenario: capture.record.scenario, ...judgeCapture(capture) };
  });
  return renderVerdictPicture('Two pods died. Both report exit code 137. Who did it?', cells);
}
