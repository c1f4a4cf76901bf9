import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from '../../model/host/environment.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import type { Clock, Progress, StepOptions } from '../../model/host/host.ts';
import { plainText } from '../../model/text/plain-text.ts';
import {
  createLiveDisplay,
  createPlainDisplay,
  isLive,
  type Colours,
  type ProgressSink,
} from './progress-display.ts';
import { indent, renderHeartbeat, renderLiveLines, type RunningStep } from './progress-lines.ts';

interface Running extends RunningStep {
  readonly depth: number;
  /** Printed before its lines that stay. */
  readonly scope: string;
  /** The same of lines inside of it. */
  readonly innerScope: string;
  readonly outer: Running | undefined;
  readonly inside: Running[];
  detail: string;
}

const FRAME_MS = 200;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/**
 * Builds the progress display. On a terminal each running step is a live line with its latest detail, below the step
 * that it is in; elsewhere (logs, CI) each step prints one line when it starts and one when it ends, and what runs is
 * said again when nothing was printed for half a minute.
 */
export function createProgress(
  clock: Clock,
  sink: ProgressSink = process.stderr,
  env: Environment = process.env,
): Progress {
  const roots: Running[] = [];
  // Worlds come up in parallel: a step is inside the step that started it, not inside the one that began last.
  const around = new AsyncLocalStorage<Running>();
  const isTerminal = isLive(sink, env);
  const display = isTerminal
    ? createLiveDisplay(sink, env, (colours) => drawLines(roots, clock, sink, colours))
    : createPlainDisplay(sink, env, () => renderHeartbeat(roots, clock.now()));
  const { colours } = display;

  const begin = (named: string, options: Pick<StepOptions<never>, 'scope' | 'remaining'>): Running => {
    const title = plainText(named);
    const step = createStep(title, clock.now(), around.getStore(), options);
    if (!isTerminal) display.print(`${indent(step.depth)}→ ${step.scope}${title}`);
    if (roots.length === 0) display.start();
    siblingsOf(step).push(step);
    return step;
  };
  const siblingsOf = ({ outer }: Running): Running[] => outer?.inside ?? roots;
  const end = (step: Running, mark: string): void => {
    const siblings = siblingsOf(step);
    siblings.splice(siblings.indexOf(step), 1);
    if (roots.length === 0) display.stop();
    const colour = mark.startsWith('✓') ? colours.green : colours.red;
    const time = colours.dim(`(${formatDuration(clock.now() - step.startedAt)})`);
    display.print(`${indent(step.depth)}${colour(mark)} ${step.scope}${step.title} ${time}`);
  };

  return {
    note: (text) => {
      const outer = around.getStore();
      display.print(
        `${indent(outer === undefined ? 0 : outer.depth + 1)}${outer?.innerScope ?? ''}${plainText(text)}`,
      );
    },
    step: async (title, work, options = {}) => {
      const step = begin(title, options);
      try {
        const value = await around.run(step, () =>
          work((detail) => {
            step.detail = plainText(detail).replaceAll(/\s+/g, ' ').trim();
          }),
        );
        end(step, options.mark?.(value) ?? '✓');
        return value;
      } catch (error) {
        end(step, '✗');
        throw error;
      }
    },
  };
}

function createStep(
  title: string,
  now: number,
  outer: Running | undefined,
  options: Pick<StepOptions<never>, 'scope' | 'remaining'>,
): Running {
  const scope = outer?.innerScope ?? '';
  return {
    title,
    scope,
    innerScope: options.scope === undefined ? scope : `${plainText(options.scope)}: `,
    startedAt: now,
    depth: outer === undefined ? 0 : outer.depth + 1,
    detail: '',
    outer,
    inside: [],
    ...(options.remaining === undefined ? {} : { remaining: options.remaining }),
  };
}

function drawLines(
  steps: readonly Running[],
  clock: Clock,
  { columns = 80 }: ProgressSink,
  colours: Colours,
): string[] {
  const now = clock.now();
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? '';
  return renderLiveLines(steps, now, { width: Math.max(20, columns - 1), colours, frame });
}
