import pico from 'picocolors';
import type { Environment } from '../../model/host/environment.ts';
import { disarmText } from '../../model/text/log-commands.ts';

/** Where progress goes: standard error, or a list of texts in a test. */
export interface ProgressSink {
  readonly isTTY?: boolean;
  /** Size of the terminal, in letters. */
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): boolean;
}

/**
 * Standard error of this process. What is written there is no command of a CI system.
 *
 * @param spell changes a text before it is written.
 */
export function createStderrSink(spell: (text: string) => string): ProgressSink {
  return {
    get isTTY() {
      return process.stderr.isTTY;
    },
    get columns() {
      return process.stderr.columns;
    },
    get rows() {
      return process.stderr.rows;
    },
    write: (text) => process.stderr.write(disarmText(spell(text))),
  };
}

/** Puts colours around a text, or does not. */
export type Colours = ReturnType<typeof pico.createColors>;

/** Shows progress on a stream. */
export interface ProgressDisplay {
  readonly colours: Colours;
  /** Writes a line that stays. */
  print(text: string): void;
  /** Called when something begins to run, and nothing did. */
  start(): void;
  /** Called when nothing runs any more. */
  stop(): void;
}

/** How often the lines of a terminal are drawn again; more often costs CPU that emulated nodes need. */
const REDRAW_MS = 200;
/** A log says at least this often that we are alive. */
const HEARTBEAT_MS = 30_000;

/** Whether lines may be drawn again: on a terminal that can, and that is not the log of a CI system. */
export function isLive(sink: ProgressSink, env: Environment): boolean {
  return sink.isTTY === true && env.TERM !== 'dumb' && !isOn(env.CI);
}

/** Whether to write colours: FORCE_COLOR and NO_COLOR (https://no-color.org) decide, else whether it is a terminal. */
export function hasColours(sink: ProgressSink, env: Environment): boolean {
  if (env.FORCE_COLOR !== undefined) return isOn(env.FORCE_COLOR) || env.FORCE_COLOR === '';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return sink.isTTY === true && env.TERM !== 'dumb';
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false';
}

/**
 * The display of a terminal: lines that stay above, running steps below, drawn again and again.
 *
 * @param draw returns the lines of the running steps.
 */
export function createLiveDisplay(
  sink: ProgressSink,
  env: Environment,
  draw: (colours: Colours) => readonly string[],
): ProgressDisplay {
  const colours = pico.createColors(hasColours(sink, env));
  let region: { (text: string): void; clear(): void } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const render = (): void => {
    if (timer !== undefined) region?.(draw(colours).join('\n'));
  };
  // Loaded when the first step runs: most verbs have none.
  const load = async (): Promise<void> => {
    const { createLogUpdate } = await import('log-update');
    region ??= createLogUpdate(sink as NodeJS.WriteStream, { showCursor: true });
    render();
  };
  return {
    colours,
    print: (text) => {
      region?.clear();
      sink.write(`${text}\n`);
      render();
    },
    start: () => {
      timer = setInterval(render, REDRAW_MS).unref();
      void load();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
      region?.clear();
    },
  };
}

/**
 * The display of a log: lines, and a heartbeat when there was none for a while.
 *
 * @param beat returns what runs now, on one line.
 */
export function createPlainDisplay(
  sink: ProgressSink,
  env: Environment,
  beat: () => string,
): ProgressDisplay {
  let timer: NodeJS.Timeout | undefined;
  const colours = pico.createColors(hasColours(sink, env));
  const print = (text: string): void => {
    sink.write(`${text}\n`);
    timer?.refresh();
  };
  return {
    colours,
    print,
    start: () => {
      timer = setInterval(() => print(`… ${beat()}`), HEARTBEAT_MS).unref();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
