import { text, type RawFact } from './read-record.ts';

const OF_TARGET = [4, 5, 7, 8, 11, 14, 24, 31];
const UNIT =
  /\/(?:(?:containerd|crio|docker|cri-docker|k3s|k3s-agent|rke2-\w+|k0s\w+|snap\.\S+)\.service|podruntime)(?:\/|$)/;
const NAME = /^(?:containerd|runc|runsc|crun|youki|conmon|dockerd|crio|exe$|<\.\.\.>$)/;

type Victim = { readonly containerId: string; readonly first?: { readonly says: RawFact } | undefined };

/** Who sent a signal (docs/verdicts.md, "Who is the runtime"). */
export function findSender(says: RawFact, { containerId, first }: Victim): string {
  const [cgroup, actor, code] = [text(says.actorCgroup), text(says.actor), Number(says.code)];
  const isOfTarget = OF_TARGET.includes(Number(says.signal)) && code > 0;
  if (code === 128 && !isOfTarget) return 'kernel';
  if (code === -2 || isOfTarget || says.actorPid === says.pid) return 'container';
  if (containerId !== '' && cgroup.includes(containerId)) return 'container';
  if (says.actorPid === 1) return 'systemd';
  if (actor === 'systemd-oomd' || actor === 'earlyoom') return actor;
  if (says.actorPid === first?.says.parent || UNIT.test(cgroup)) return 'runtime';
  return NAME.test(actor) && !/kubepods|ssh|user\.slice|cron/.test(cgroup) ? 'runtime' : 'outside';
}
