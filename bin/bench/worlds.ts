import { readFileSync } from 'node:fs';
import type { RunResult } from '../../lab/model/saved/formats.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import { connectGuest } from '../../lab/drivers/ssh/ssh.ts';
import { openKubernetes } from '../../lab/drivers/kubernetes/kubernetes.ts';
import { apiAnswers } from '../../lab/world/cluster-probes.ts';
import { InternalError } from '../../lab/model/errors/errors.ts';
import { loadReady } from '../../lab/world/restore/snapshots.ts';
import { median, seconds, type Row } from './numbers.ts';
import type { Session } from './session.ts';

/** Restores of the bare comparison; the median is used. */
const RESTORES = 5;
const ANSWER_MS = 120_000;
/** Warm cells under emulation: no ratio, an absolute promise. */
const WARM_TARGET_S = 5;

/** What the lab adds to booting, to `kubeadm init` and to a restore. Needs a session whose world is not up yet. */
export async function benchmarkWorlds(session: Session): Promise<Row[]> {
  const { record, first } = await session.upDefault();
  const second = await session.run(['up', '--json']);
  const bare: number[] = [];
  for (let i = 0; i < RESTORES; i += 1) bare.push(await bareRestoreMs(session));
  const warm = await warmStartsMs(session);
  const contained = (record.timings['bootMs'] ?? NaN) + (record.timings['kubeadmMs'] ?? NaN);
  const untilReady = contained + (record.timings['clusterMs'] ?? NaN);
  const cold: Row[] =
    first === undefined
      ? []
      : [
          {
            what: 'up from a cached image / boot + kubeadm init it contains',
            ours: seconds(first.ms),
            bare: seconds(contained),
            target: 1.3,
            unit: 's',
          },
          {
            what: 'the same / and until its pods are ready and a name resolves',
            ours: seconds(first.ms),
            bare: seconds(untilReady),
            unit: 's',
          },
          {
            what: 'up from the snapshot / first up',
            ours: seconds(second.ms),
            bare: seconds(first.ms),
            target: 0.15,
            unit: 's',
          },
        ];
  return [
    ...cold,
    {
      what: 'start of a warm cell / bare loadvm to first answer',
      ours: seconds(median(warm)),
      bare: seconds(median(bare)),
      target: 1.5,
      unit: 's',
    },
    {
      what: `start of a warm cell / ${WARM_TARGET_S} s`,
      ours: seconds(median(warm)),
      bare: WARM_TARGET_S,
      target: 1,
      unit: 's',
    },
  ];
}

/** From the end of one cell to the moment at which the next one may deploy, as the run itself measured it. */
async function warmStartsMs(session: Session): Promise<number[]> {
  await session.run(['run', 'default/plain-exit', '--json']); // the first cell of a fresh world needs no restore
  const { stdout } = await session.run(['run', 'default/plain-exit', 'default/sigkill-from-node', '--json']);
  const result = JSON.parse(stdout) as RunResult;
  // The first cell of a run finds the world restored by its own `up`.
  return result.cells.slice(1).map((cell) => cell.timings.restoreMs);
}

/** In-place restore, then the first answers over SSH and from the API, with nothing of the lab around it. */
async function bareRestoreMs(session: Session): Promise<number> {
  const { context, home } = session;
  const { record } = await session.upDefault();
  const node = record.nodes[0];
  if (node === undefined) throw new InternalError('a world without nodes');
  const { libvirt } = await session.lab();
  const startedAt = performance.now();
  await loadReady(libvirt, [node.domain]);
  const guest = await connectGuest(
    {
      name: node.name,
      port: node.sshPort,
      privateKey: readFileSync(record.image.sshKey, 'utf8'),
      hostKey: record.image.hostKey,
    },
    context,
    { timeoutMs: ANSWER_MS },
  );
  await guest.must('true');
  const kubernetes = await openKubernetes(statePaths(home).world('default').kubeconfig, context);
  await context.waitFor(apiAnswers(kubernetes, 'after the restore'), {
    timeoutMs: ANSWER_MS,
    intervalMs: 100,
  });
  const ms = performance.now() - startedAt;
  guest.close();
  kubernetes.close();
  return ms;
}
