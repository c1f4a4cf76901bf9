/**
 * `npm run fuzz -- --guided [--target name] [--seconds N] [--seed N]`: changes real texts again and again, and keeps
 * those that reach code which no text before has reached, as V8 counts it. What breaks a target is saved into
 * test/fixtures/corpus/<target>/, from where the tests take it; add what it should have been to the code, and keep it.
 */
import { createHash, randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CORPUS, FUZZ_TARGETS, findBug, readCorpus, type FuzzTarget } from '../test/fixtures/fuzz-targets.ts';
import { mutate } from '../test/fixtures/mutate.ts';
import { createRandom } from '../test/random.ts';

/** Asking V8 takes some milliseconds: it is asked about so many texts together. */
const BATCH = 20;
const OURS = /\/(lab|provision)\/.*\.ts$/;

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: '' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const names = Object.keys(FUZZ_TARGETS);
if (values.target !== '' && !names.includes(values.target)) {
  process.stderr.write(`there is no target ${values.target}; there are: ${names.join(', ')}\n`);
  process.exit(2);
}

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** The places in our code that were reached since the last call. */
function takeReached(): Set<string> {
  const reached = new Set<string>();
  session.post('Profiler.takePreciseCoverage', (_, { result }: Profiler.TakePreciseCoverageReturnType) => {
    for (const { url, functions } of result) {
      if (!OURS.test(url)) continue;
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0) reached.add(`${url}:${startOffset}-${endOffset}`);
    }
  });
  return reached;
}

function save(name: string, text: string): string {
  const folder = join(CORPUS, name);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 12)}.txt`);
  writeFileSync(file, text);
  return file;
}

/** @returns the bugs that were found, by their first line. */
function fuzz(name: string, target: FuzzTarget, seconds: number, seed: number): Map<string, string> {
  const random = createRandom(seed);
  const texts = [...target.seeds(), ...readCorpus(name)];
  const known = new Set<string>();
  const bugs = new Map<string, string>();
  let runs = 0;
  const tryText = (text: string): void => {
    runs += 1;
    const bug = findBug(target, text);
    if (bug === undefined) return;
    const [line = ''] = bug.split('\n');
    if (!bugs.has(line)) bugs.set(line, `${save(name, text)}\n${bug}`);
  };
  /** Remembers the places that were reached since the last call, and returns those that are new. */
  const takeNew = (): string[] => {
    const places = [...takeReached()].filter((place) => !known.has(place));
    for (const place of places) known.add(place);
    return places;
  };
  texts.forEach(tryText);
  takeNew();
  const begun = known.size;
  const endsAt = performance.now() + seconds * 1000;
  while (performance.now() < endsAt) {
    const batch = Array.from({ length: BATCH }, () => mutate(texts, random));
    batch.forEach(tryText);
    const places = takeNew();
    if (places.length === 0) continue;
    // Which of them reached what is new, is asked again, one by one.
    for (const place of places) known.delete(place);
    for (const text of batch) {
      tryText(text);
      if (takeNew().length > 0) texts.push(text);
    }
    for (const place of places) known.add(place);
  }
  process.stdout.write(
    `${name.padEnd(12)} ${runs} texts, ${begun} places reached by real ones, ${known.size - begun} more, ` +
      `${texts.length} kept, ${bugs.size} bugs (seed ${seed})\n`,
  );
  return bugs;
}

let found = 0;
for (const name of values.target === '' ? names : [values.target]) {
  const bugs = fuzz(name, FUZZ_TARGETS[name]!, Number(values.seconds), Number(values.seed));
  for (const [, text] of bugs) process.stdout.write(`${text}\n\n`);
  found += bugs.size;
}
process.exitCode = found === 0 ? 0 : 1;
