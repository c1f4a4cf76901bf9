/**
 * How often a search for the change is right, and what it costs beside plain binary search: `npm run bench bisect`. The lab is
 * simulated; nothing is started.
 */
import { sum } from '../../../lab/model/text/sum.ts';
import {
  askKnowingRates,
  halveSimulated,
  searchSimulated,
  type SimulatedEnd,
} from '../../../test/fixtures/bisect/simulated-lab.ts';
import { createRandom } from '../../../test/random.ts';

const SIZES = [8, 24, 64];
const RATES = [1, 0.5, 0.2].flatMap((bad) => [0, 0.02].map((good) => ({ bad, good })));
/** Dear worlds with cheap runs, and cheap worlds with dear runs. */
const COSTS = [
  { prepareSeconds: 150, runSeconds: 30 },
  { prepareSeconds: 10, runSeconds: 128 },
];
const SEED = 47;

/** Prints one line for each pair of costs, size and pair of rates, then how long the slowest step took to plan. */
export function benchmarkBisect(trials: number, print: (line: string) => void): void {
  let slowestMs = 0;
  const kinds = COSTS.flatMap((costs) =>
    SIZES.flatMap((versions) => RATES.map((rate) => ({ ...rate, costs, versions, holes: 0.15 }))),
  );
  for (const simulated of kinds) {
    const { bad, good, costs, versions } = simulated;
    const random = createRandom(SEED);
    const repeat = (search: () => SimulatedEnd): SimulatedEnd[] => Array.from({ length: trials }, search);
    const own = repeat(() => searchSimulated(simulated, random));
    const ten = repeat(() => halveSimulated(simulated, random, { runs: 10, reds: 1 }));
    const asking = askKnowingRates(simulated);
    const knowing = repeat(() => halveSimulated(simulated, random, asking));
    slowestMs = Math.max(slowestMs, ...own.map((end) => end.slowestMs));
    print(
      `${versions} versions, ${costs.prepareSeconds} s a world and ${costs.runSeconds} s a run, ` +
        `red in ${bad} of bad runs and ${good} of good ones: bisect ${describe(own)}; ` +
        `binary search with 10 runs ${describe(ten)}, ratio ${ratio(own, ten)}; ` +
        `knowing the rates, ${asking.reds} of ${asking.runs} runs ${describe(knowing)}, ratio ${ratio(own, knowing)}`,
    );
  }
  print(
    `slowest step planned in ${slowestMs.toFixed(0)} ms, of up to ${Math.max(...SIZES)} versions (<= 50)`,
  );
}

function ratio(one: readonly SimulatedEnd[], other: readonly SimulatedEnd[]): string {
  return (meanMinutes(one) / meanMinutes(other)).toFixed(2);
}

function describe(ends: readonly SimulatedEnd[]): string {
  const right = ends.filter(({ isRight }) => isRight).length / ends.length;
  return `${(right * 100).toFixed(0)} % right, ${meanMinutes(ends).toFixed(1)} min`;
}

function meanMinutes(ends: readonly SimulatedEnd[]): number {
  return sum(ends.map(({ seconds }) => seconds)) / ends.length / 60;
}
