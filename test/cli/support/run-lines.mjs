/**
 * Runs command lines one after the other in one process, so that a whole table of them takes seconds:
 * `node run-lines.mjs <project> <file of lines>`. A line is its words, or `{ words, texts }`: texts of files of the project
 * while it runs. Prints `[{ words, status, stdout, stderr }]`.
 */
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [project, lines] = process.argv.slice(2);
const { loadProgram } = await import(`file://${project}/bin/program.mjs`);
const { main } = await loadProgram(project);

// Each line listens to errors of its output until the process ends.
process.stdout.setMaxListeners(0);
const ends = [];
let now;
// A line that ends the process is not among the ends.
process.on(
  'exit',
  () => now && writeSync(2, `${now.words.join(' ')} ended the process: ${now.printed.stderr}`),
);
for (const line of JSON.parse(readFileSync(lines, 'utf8'))) {
  const { words, texts = {} } = Array.isArray(line) ? { words: line } : line;
  const before = Object.keys(texts).map((path) => [path, readFileSync(join(project, path))]);
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(project, path), text);
  const printed = { stdout: '', stderr: '' };
  now = { words, printed };
  const restore = ['stdout', 'stderr'].map((name) => {
    const { write } = process[name];
    process[name].write = (text, ...more) => {
      printed[name] += text;
      more.at(-1)?.();
      return true;
    };
    return () => (process[name].write = write);
  });
  const status = await main(words).finally(() => restore.forEach((back) => back()));
  for (const [path, text] of before) writeFileSync(join(project, path), text);
  ends.push({ words, status, ...printed });
}
now = undefined;
process.stdout.write(JSON.stringify(ends), () => process.exit());
