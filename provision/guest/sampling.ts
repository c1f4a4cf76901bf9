import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sampler } from '../../lab/model/measures/measure.ts';
import { exportLines, shellQuote } from '../../lab/model/text/shell.ts';

/** Scripts that a node runs at an interval, and what they may ask for. */
export interface Sampling {
  readonly samplers: readonly Sampler[];
  /** Name of the victim's container. */
  readonly container: string;
  /** Parameters of the scenario, which scripts read as variables. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Reads what runs samplers in a node. */
export function readSamplingProgram(projectDir: string): string {
  return readFileSync(join(projectDir, 'provision', 'guest', 'sampling.sh'), 'utf8');
}

/** Renders the one program of a node that runs its samplers until it gets SIGTERM, each in a loop of its own. */
export function renderSampling(program: string, { samplers, container, parameters }: Sampling): string {
  const loops = samplers.map(
    ({ name, script, everySeconds, timeoutSeconds }) =>
      `printf '%s\\n' ${shellQuote(script)} > "$SAMPLING/${name}.sh"\n` +
      `sample ${name} ${Math.round(everySeconds * 1000)} ${Math.round(timeoutSeconds * 1000)} &\n` +
      'LOOPS="$LOOPS $!"\n',
  );
  const variables = exportLines({ ...parameters, VICTIM_CONTAINER: container });
  return `${variables}${program}${loops.join('')}wait\n`;
}
