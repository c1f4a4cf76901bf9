import { runInteractive } from '../../drivers/programs/interactive.ts';
import { InternalError } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import { ensureComponents, readComponents } from '../../../provision/components/components.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { getWorldRecord } from '../setup/world-of.ts';

/** `whodunit kubectl …`: the kubectl of the world's own version, with its kubeconfig. Returns its exit status. */
export async function runKubectl(context: Context, words: readonly string[], flags: Flags): Promise<number> {
  const record = getWorldRecord(context, flags.world, { halfBuilt: false });
  const [kubernetes] = await ensureComponents(context, readComponents(context.projectDir), [
    { name: 'kubernetes', version: record.kubernetes },
  ]);
  const kubectl = kubernetes?.files['kubectl'];
  if (kubectl === undefined) throw new InternalError('the kubernetes component has no kubectl');
  return runInteractive(kubectl, words, {
    KUBECONFIG: statePaths(context.stateDir).world(record.name).kubeconfig,
  });
}
