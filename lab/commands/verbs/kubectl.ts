import { runInteractive } from '../../drivers/programs/interactive.ts';
import { InternalError } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import { ensureComponents, readComponents } from '../../../provision/components/components.ts';
import type { RunVerb } from '../context/context.ts';
import { getWorldRecord } from '../setup/get-world-record.ts';

/** `whodunit kubectl …`: runs the kubectl of the world's own version with its kubeconfig, and ends with its exit status. */
export const runKubectl: RunVerb = async (context, words, flags) => {
  const record = getWorldRecord(context, flags.world, { halfBuilt: false });
  const [kubernetes] = await ensureComponents(context, readComponents(context.projectDir), [
    { name: 'kubernetes', version: record.kubernetes },
  ]);
  const kubectl = kubernetes?.files['kubectl'];
  if (kubectl === undefined) throw new InternalError('the kubernetes component has no kubectl');
  const { kubeconfig } = statePaths(context.stateDir).world(record.name);
  return { status: await runInteractive(context, kubectl, words, { KUBECONFIG: kubeconfig }) };
};
