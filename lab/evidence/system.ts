import type { Lost, SystemSaid } from '../model/evidence/observation.ts';
import { ALONE, readJournal, type JournalContext, type JournalEntry } from './journal.ts';
import { baseOf, type EvidenceText, type Where } from './lines.ts';

interface Pattern {
  readonly by: SystemSaid['by'];
  readonly about: SystemSaid['about'];
  readonly text: RegExp;
}

/**
 * The writer of a line counts as much as its text: a unit or a program may have the name of a message, but the journal
 * takes the writer from the process. Texts of systemd 247 to 262 (src/core/unit.c, src/core/scope.c,
 * src/login/logind-action.c, src/login/logind-dbus.c, src/oom/oomd-manager.c), of earlyoom 1.6 to 1.9 (kill.c), and of the OOM
 * controller of Talos since 1.12 (internal/app/machined/pkg/controllers/runtime/oom.go).
 */
const PATTERNS: readonly Pattern[] = [
  { by: 'systemd', about: 'oom-seen', text: /: A process of this unit has been killed by the OOM killer\.$/ },
  { by: 'systemd', about: 'kill', text: /: systemd-oomd killed \d+ process\(es\) in this unit\.$/ },
  { by: 'systemd', about: 'kill', text: /: Killing process (?<pid>\d+) \(.*\) with signal SIG\w+\.$/ },
  {
    by: 'systemd-logind',
    about: 'shutdown',
    text: /^(?:The system will (?:soft-)?(?:reboot|power[ -]off|halt|kexec)|System (?:userspace )?is (?:rebooting|powering down|halting))/,
  },
  {
    by: 'systemd',
    about: 'shutdown',
    text: /^Reached target (?:.* - )?(?:System )?(?:Shutdown|Reboot|Power[ -]Off)/i,
  },
  { by: 'systemd-oomd', about: 'kill', text: /^Killed (?<cgroup>\/\S+) due to / },
  { by: 'systemd-oomd', about: 'kill', text: /^Marked (?<cgroup>\/\S+) for killing due to / },
  {
    by: 'talos',
    about: 'kill',
    text: /^Sending SIGKILL to cgroup \{.*"cgroup": ?"(?:\/sys\/fs\/cgroup)?(?<cgroup>\/[^"]+)"/,
  },
  { by: 'earlyoom', about: 'kill', text: /^sending SIG(?:TERM|KILL) to process (?<pid>\d+) / },
];

/** Reads the journal of systemd, systemd-logind, systemd-oomd and earlyoom, without lines about anything else. */
export function parseSystem(
  content: EvidenceText,
  file: string,
  context: JournalContext = ALONE,
): (SystemSaid | Lost)[] {
  const observations: (SystemSaid | Lost)[] = [];
  for (const entry of readJournal(content, file, 'system', (lost) => observations.push(lost), context)) {
    const said = readSystemEntry(entry, file);
    if (said !== undefined) observations.push(said);
  }
  return observations;
}

/** What one line of such a service says; undefined when it is about something else. */
export function readSystemEntry(entry: JournalEntry, where: Where): SystemSaid | undefined {
  for (const { by, about, text } of PATTERNS) {
    const found = entry.by === by ? text.exec(entry.message) : null;
    if (found === null) continue;
    const pid = found.groups?.['pid'];
    return {
      kind: 'system-said',
      ...baseOf('system', entry.at, where, entry.line, `${by}: ${entry.message}`),
      by,
      about,
      pid: pid === undefined ? undefined : Number(pid),
      cgroup: found.groups?.['cgroup'],
    };
  }
  return undefined;
}
