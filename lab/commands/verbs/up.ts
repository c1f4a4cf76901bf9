import { libvirtUri } from '../../drivers/machines/libvirt-connection.ts';
import type { UpResult } from '../../model/saved/answers.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { statePaths } from '../../model/host/paths.ts';
import { sum } from '../../model/text/sum.ts';
import { forecastUp } from '../../plan/worlds/forecast-up.ts';
import { listDroppedOfWords, listNotesOfDropped } from '../../plan/variants/dropped-parts.ts';
import { listNotesOfReleases } from '../../plan/variants/newer-releases.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { renderUpPlan } from '../../report/terminal/render-up-plan.ts';
import { expectAccelerator, proveAccelerator } from '../../world/host/accelerator.ts';
import { DEFAULT_NEEDS } from '../../world/host/checks.ts';
import { bringUp } from '../../world/bring-up/bring-up.ts';
import { UP_LANES } from '../../world/bring-up/carry-out.ts';
import { FROM_ITS_IMAGE, planUp } from '../../world/bring-up/plan-up.ts';
import type { WorldRecipe } from '../../world/recipe/recipe.ts';
import { demandOf, withRoom } from '../../world/run/capacity.ts';
import { closeWorld } from '../../world/world.ts';
import type { WorldRecord } from '../../world/world-record.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { loadConfig } from '../setup/config.ts';
import { getRecipe } from '../setup/get-recipe.ts';
import { refuseUnlocked } from '../setup/refuse-unlocked.ts';
import { withLab } from '../setup/with-lab.ts';
import { spellLine } from '../context/spell-line.ts';
import { spellPath } from '../context/spell-path.ts';
import { readPastTimings } from '../setup/past-timings.ts';

/** Answers `up --dry-run` with the steps that `bringUp` would carry out now. */
async function answerUpPlan(
  context: Context,
  { matrix, catalogue }: Config,
  recipe: WorldRecipe,
  { words, flags }: { readonly words: readonly string[]; readonly flags: Flags },
): Promise<VerbAnswer> {
  const source = {
    host: context,
    matrix,
    catalogue,
    accelerator: expectAccelerator(),
    uri: libvirtUri(context),
  };
  const plan = await planUp(source, recipe, flags.cold === true ? FROM_ITS_IMAGE : {});
  const result = forecastUp({ ...plan, world: recipe.name }, UP_LANES, readPastTimings(context));
  const command = spellLine('up', words, flags);
  return { status: 'passed', json: result, page: () => renderUpPlan(result, command) };
}

/** `whodunit up [variant]`: builds or restores a world, and says how to reach it. */
export const runUp: RunVerb = async (context, words, flags) => {
  const config = loadConfig(context);
  const recipe = getRecipe(context, config, words);
  const { name, variant } = recipe;
  await refuseUnlocked(context, config, () => recipe.components, { terraform: true });
  const notes = [
    ...listNotesOfDropped(listDroppedOfWords(config.matrix, words), variant),
    ...listNotesOfReleases(config, [variant]),
  ];
  for (const { reason } of notes) context.progress.note(reason);
  if (flags.dryRun === true) return answerUpPlan(context, config, recipe, { words, flags });
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
  const result: UpResult = {
    formatVersion: FORMAT_VERSION,
    world: name,
    how: up.how,
    seconds,
    kubeconfig,
    nodes: record.nodes,
  };
  return { status: 'passed', json: result, text: () => renderUp(result, record) };
};

function renderUp(
  { world, how, seconds, kubeconfig, nodes }: UpResult,
  { accelerator, kubernetes }: WorldRecord,
): string {
  return [
    `world ${world} is up (${how} in ${seconds} s, ${accelerator === 'kvm' ? 'KVM' : 'emulated'})`,
    '',
    ...nodes.map((node) => `  node   ${node.name}  ${node.memoryMiB} MiB  ssh 127.0.0.1:${node.sshPort}`),
    `  api    https://127.0.0.1:${nodes[0]?.apiPort ?? 0}  Kubernetes ${kubernetes}`,
    `  kubeconfig  ${spellPath(kubeconfig)}`,
    '',
    'next:',
    '  npx whodunit kubectl get pods -A',
    '  npx whodunit run                       run the quick set of scenarios, and prove each killer',
    '  npx whodunit shell                     a root shell on the node',
    '  npx whodunit down                      remove the world',
  ].join('\n');
}
