import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Guest, Host } from '../../lab/model/host/host.ts';
import { exportLines } from '../../lab/model/text/shell.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';

/** One numbered step: a shell script that first tests whether its result exists. */
export interface GuestStep {
  /** `20-init` for `20-init.sh`. */
  readonly name: string;
  readonly script: string;
}

/** Reads the steps of a folder in numeric order. */
export function readGuestSteps(projectDir: string): GuestStep[] {
  const folder = join(projectDir, 'provision', 'guest', 'steps');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sh'))
    .sort()
    .map((file) => ({ name: file.replace(/\.sh$/, ''), script: readFileSync(join(folder, file), 'utf8') }));
}

/**
 * Runs the steps in one guest, in order. Values reach a step as environment variables.
 *
 * @throws CommandError of the first step that fails, with the tail of what it printed.
 */
export async function runGuestSteps(
  host: Host,
  guest: Guest,
  steps: readonly GuestStep[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const exports = exportLines(env);
  for (const step of steps) {
    await host.progress.step(`${guest.name}: ${step.name}`, async (update) => {
      await guest.must(exports + step.script, {
        name: `the step ${step.name} on ${guest.name}`,
        timeoutMs: TIME_LIMITS.cluster.guestStep.ms,
        onLine: update,
      });
    });
  }
}
