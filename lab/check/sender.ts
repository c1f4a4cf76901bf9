import type { Proof } from '../model/saved/proof.ts';
import { text, type RawFact } from './read-record.ts';
import tables from './tables.json' with { type: 'json' };

const { caused, unit, name, persons } = tables.senders;

/** Who sent a signal (docs/verdicts.md, "Who is the runtime"). */
export function findSender(says: RawFact, victim: Proof['victim']): string {
  const [cgroup, actor, code] = [text(says.actorCgroup), text(says.actor), Number(says.code)];
  const isOfTarget = new RegExp(caused).test(String(says.signal)) && code > 0;
  if (code === 128 && !isOfTarget) return 'kernel';
  if (code === -2 || isOfTarget || says.actorPid === says.pid) return 'container';
  if (victim.containerId !== '' && cgroup.includes(victim.containerId)) return 'container';
  if (says.actorPid === 1) return 'systemd';
  if (actor === 'systemd-oomd' || actor === 'earlyoom') return actor;
  if (says.actorPid === victim.first?.says.parent || new RegExp(unit).test(cgroup)) return 'runtime';
  return new RegExp(name).test(actor) && !new RegExp(persons).test(cgroup) ? 'runtime' : 'outside';
}
