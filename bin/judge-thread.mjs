/** A thread that judges the saved evidence of one cell. The lab that runs the cell hears its signals meanwhile. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { loadProgram } from './program.mjs';

const { data, program } = workerData;
const { judgeSaved } =
  program === undefined
    ? await loadProgram(fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, ''))
    : await import(pathToFileURL(program).href);
parentPort.postMessage(await judgeSaved(data));
