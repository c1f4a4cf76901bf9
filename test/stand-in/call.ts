/** One call of a tool, as long as its process lives. */
export interface Call {
  readonly pid: number;
  readonly cwd: string;
  readonly name: string;
  readonly args: readonly string[];
  /** Fires when the process has ended: work that it did itself ends with it. */
  readonly gone: AbortSignal;
  /** Fires when the process was asked to stop (Terraform alone). */
  readonly stopped: AbortSignal;
  print(line: string): void;
  complain(line: string): void;
  /** A moment in which somebody may die. Throws when the process has ended. */
  moment(what: string): Promise<void>;
  /** The same for work that a daemon does: it goes on without the process. */
  daemonMoment(what: string): Promise<void>;
}
