import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, Progress } from '../model/host.ts';

/** Where progress goes: standard error, or a list of texts in a test. */
export interface ProgressSink {
  readonly isTerminal: boolean;
  /** Width of the terminal in columns. */
  readonly columns: () => number;
  write(text: string): void;
}

/** Standard error of this process. */
export const stderrSink: ProgressSink = {
  isTerminal: process.stderr.isTTY,
  columns: () => process.stderr.columns ?? 80,
  write: (text) => void process.stderr.write(text),
};

interface Running {
  readonly title: string;
  readonly startedAt: number;
  readonly depth: number;
  detail: string;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Builds the progress display. On a terminal the innermost running step is one live line with its latest detail;
 * elsewhere (logs, CI) each step prints one line when it starts and one when it ends. listr2 wants its tree of tasks
 * up front; our steps are found on the way (cache misses, dynamic worlds).
 */
export function createProgress(clock: Clock, sink: ProgressSink = stderrSink): Progress {
  const running: Running[] = [];
  // Worlds come up in parallel: a step lies inside the step that started it, not inside the one that began last.
  const around = new AsyncLocalStorage<Running>();
  const depthHere = (): number => {
    const outer = around.getStore();
    return outer === undefined ? 0 : outer.depth + 1;
  };
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;

  const erase = (): void => {
    if (sink.isTerminal) sink.write(CLEAR_LINE);
  };
  const draw = (): void => {
    const step = running.at(-1);
    if (!sink.isTerminal || step === undefined) return;
    frame = (frame + 1) % FRAMES.length;
    const time = formatSeconds(clock.now() - step.startedAt);
    const detail = step.detail === '' ? '' : `  ${step.detail}`;
    const line = `${indent(step.depth)}${FRAMES[frame] ?? ''} ${step.title} (${time})${detail}`;
    sink.write(CLEAR_LINE + line.slice(0, Math.max(20, sink.columns() - 1)));
  };
  const line = (text: string): void => {
    erase();
    sink.write(`${text}\n`);
    draw();
  };
  const end = (step: Running, mark: string): void => {
    running.splice(running.indexOf(step), 1);
    if (running.length === 0 && timer !== undefined) {
      clearInterval(timer);
      timer = undefined;
    }
    line(`${indent(step.depth)}${mark} ${step.title} (${formatSeconds(clock.now() - step.startedAt)})`);
  };

  return {
    note: (text) => line(`${indent(depthHere())}${text}`),
    step: async (title, work, mark = () => '✓') => {
      const step: Running = { title, startedAt: clock.now(), depth: depthHere(), detail: '' };
      if (!sink.isTerminal) line(`${indent(step.depth)}→ ${title}`);
      running.push(step);
      timer ??= sink.isTerminal ? setInterval(draw, FRAME_MS).unref() : undefined;
      draw();
      try {
        const value = await around.run(step, () =>
          work((detail) => {
            step.detail = detail.replaceAll(/\s+/g, ' ').trim();
          }),
        );
        end(step, mark(value));
        return value;
      } catch (error) {
        end(step, '✗');
        throw error;
      }
    },
  };
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The same display with a name in front of every title and note: that of the world, when several come up at once. */
export function nameProgress(progress: Progress, name: string): Progress {
  return {
    note: (text) => progress.note(`${name}: ${text}`),
    step: (title, work, mark) => progress.step(`${name}: ${title}`, work, mark),
  };
}
