import type { UpResult } from '../model/answers.ts';
import { FORMAT_VERSION } from '../model/format-version.ts';
import { statePaths } from '../model/paths.ts';
import { sum } from '../model/sum.ts';
import { listNewerReleasesOf } from '../plan/newer-releases.ts';
import { proveAccelerator } from '../world/host/accelerator.ts';
import { DEFAULT_NEEDS } from '../world/host/checks.ts';
import { bringUp } from '../world/build/bring-up.ts';
import { demandOf, withRoom } from '../world/run/capacity.ts';
import { closeWorld } from '../world/world.ts';
import type { Context } from './context.ts';
import type { Flags } from './flags.ts';
import { loadConfig } from './config.ts';
import { getRecipe } from './get-recipe.ts';
import { refuseUnlocked } from './refuse-unlocked.ts';
import { withLab } from './with-lab.ts';
import { spellPath } from './spell-path.ts';

/** `whodunit up [variant]`: builds or restores a world and says how to get in. */
export async function runUp(context: Context, words: readonly string[], flags: Flags): Promise<number> {
  const config = loadConfig(context);
  const recipe = getRecipe(context, config, words);
  const { name, variant } = recipe;
  await refuseUnlocked(context, config, () => recipe.components, { terraform: true });
  for (const { reason } of listNewerReleasesOf(config.matrix, [variant])) context.progress.note(reason);
  const startedAt = context.clock.now();
  const needs = {
    memoryMiB: sum(recipe.nodes.map((node) => node.memoryMiB)),
    diskMiB: DEFAULT_NEEDS.diskMiB,
  };
  const up = await withLab(
    context,
    config,
    needs,
    async (lab) => {
      const { accelerator } = await proveAccelerator(context);
      return withRoom(lab, demandOf(lab, name, variant), accelerator, () =>
        bringUp(lab, variant, { keep: flags.keep === true, cold: flags.cold === true }),
      );
    },
    flags,
  );
  closeWorld(up.world);
  const { record } = up.world;
  const kubeconfig = statePaths(context.stateDir).world(name).kubeconfig;
  const seconds = Math.round((context.clock.now() - startedAt) / 1000);
  if (flags.json === true) {
    context.printJson({
      formatVersion: FORMAT_VERSION,
      world: name,
      how: up.how,
      seconds,
      kubeconfig,
      nodes: record.nodes,
    } satisfies UpResult);
    return 0;
  }
  const lines = [
    `world ${name} is up (${up.how} in ${seconds} s, ${record.accelerator === 'kvm' ? 'KVM' : 'emulated'})`,
    '',
    ...record.nodes.map(
      (node) => `  node   ${node.name}  ${node.memoryMiB} MiB  ssh 127.0.0.1:${node.sshPort}`,
    ),
    `  api    https://127.0.0.1:${record.nodes[0]?.apiPort ?? 0}  Kubernetes ${record.kubernetes}`,
    `  kubeconfig  ${spellPath(kubeconfig)}`,
    '',
    'next:',
    '  npx whodunit kubectl get pods -A',
    '  npx whodunit run                       the quick set of scenarios, each with its proven killer',
    '  npx whodunit shell                     a root shell on the node',
    '  npx whodunit down                      removes the world',
  ];
  context.print(lines.join('\n'));
  return 0;
}
