/**
 * How often a search for the change is right, and what it costs beside plain binary search: `npm run bench bisect`. The lab is
 * simulated; nothing is started.
 */
import { sum } from '../../../lab/model/text/sum.ts';
import {
  halveSimulated,
  searchSimulated,
  type Simulated,
  type SimulatedEnd,
} from '../../../test/fixtures/bisect/simulated-lab.ts';
import { createRandom } from '../../../test/random.ts';

const SIZES = [8, 24, 64];
const RATES = [1, 0.5, 0.2].flatMap((bad) => [0, 0.02].map((good) => ({ bad, good })));
const SEED = 47;

/** Prints one line for each size and pair of rates, then how long the slowest step took to plan. */
export function benchmarkBisect(trials: number, print: (line: string) => void): void {
  let slowestMs = 0;
  for (const versions of SIZES)
    for (const rate of RATES) {
      const simulated: Simulated = { ...rate, versions, holes: 0.15 };
      const random = createRandom(SEED);
      const repeat = (search: () => SimulatedEnd): SimulatedEnd[] => Array.from({ length: trials }, search);
      const own = repeat(() => searchSimulated(simulated, random));
      const one = repeat(() => halveSimulated(simulated, random, 1));
      const ten = repeat(() => halveSimulated(simulated, random, 10));
      slowestMs = Math.max(slowestMs, ...own.map((end) => end.slowestMs));
      print(
        `${versions} versions, red in ${rate.bad} of bad runs and ${rate.good} of good ones: ` +
          `bisect ${describe(own)}; binary search ${describe(one)} with 1 run, ${describe(ten)} with 10; ` +
          `ratio ${(meanMinutes(own) / meanMinutes(ten)).toFixed(2)}`,
      );
    }
  print(
    `slowest step planned in ${slowestMs.toFixed(0)} ms, of up to ${Math.max(...SIZES)} versions (<= 50)`,
  );
}

function describe(ends: readonly SimulatedEnd[]): string {
  const right = ends.filter(({ isRight }) => isRight).length / ends.length;
  return `${(right * 100).toFixed(0)} % right, ${meanMinutes(ends).toFixed(1)} min`;
}

function meanMinutes(ends: readonly SimulatedEnd[]): number {
  return sum(ends.map(({ seconds }) => seconds)) / ends.length / 60;
}
