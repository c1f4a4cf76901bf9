import { groupBy } from '../../model/text/group-by.ts';
import type { OpenedFile, BundleLimits, BundleProblem } from './bundle-file.ts';

/** Paths that are named of one reason: a sosreport has hundreds of links. */
const MAX_NAMED = 5;

/** Thrown inside only: the bounds of a bundle are reached. */
class TooMuch extends Error {}

/** Counts what one bundle gives, and keeps what was not read of it. */
export class BundleReading {
  readonly limits: BundleLimits;
  readonly #problems: BundleProblem[] = [];
  #files = 0;
  #bytes = 0;
  #isFull = false;

  constructor(limits: BundleLimits) {
    this.limits = limits;
  }

  /** What was not read so far: the rare reasons first, and of each only so many paths. */
  get problems(): readonly BundleProblem[] {
    const byReason = [...groupBy(this.#problems, ({ why }) => why).values()];
    return byReason
      .sort((a, b) => a.length - b.length)
      .flatMap((all) => {
        const [{ why }] = all as [BundleProblem];
        const more = all.length - MAX_NAMED;
        return more > 0 ? [...all.slice(0, MAX_NAMED), { path: `and ${more} more:`, why }] : all;
      });
  }

  /** Whether a bound was reached: nothing more is given. */
  get isFull(): boolean {
    return this.#isFull;
  }

  skip(path: string, why: string): void {
    this.#problems.push({ path, why });
  }

  /** Says that a file ended by a fault. What was read of it counts. */
  fail(path: string, error: unknown): void {
    if (error instanceof TooMuch) return;
    const why = error instanceof Error ? error.message : String(error);
    this.skip(path, `cannot be read to its end (${why}): what is behind is not known`);
  }

  /** Gives one file to the caller, whose reading of it is counted. */
  async *give({ path, pieces }: OpenedFile): AsyncGenerator<OpenedFile> {
    if (this.#isFull) return;
    this.#files += 1;
    if (this.#files > this.limits.maxFiles) return this.#stop(path, `${this.limits.maxFiles} files`);
    yield { path, pieces: this.#count(path, pieces) };
  }

  async *#count(path: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of pieces) {
        this.#bytes += piece.length;
        if (this.#bytes > this.limits.maxBytes) {
          this.#stop(path, `${this.limits.maxBytes} bytes`);
          throw new TooMuch();
        }
        yield piece;
      }
    } catch (error) {
      this.fail(path, error);
    }
  }

  #stop(path: string, bound: string): void {
    this.#isFull = true;
    this.skip(path, `and what follows is not read: at most ${bound} are. Name the files that matter`);
  }
}
