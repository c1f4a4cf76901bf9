import { DeclaredStartFailure, HostError } from '../../model/errors/errors.ts';
import type { Guest, Host, Look, Probe } from '../../model/host/host.ts';
import type { StartFailure } from '../../model/declared/matrix.ts';
import { shellQuote } from '../../model/text/shell.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';

/** Says in words what runs although the declaration says that it cannot; undefined when nothing does. */
type LookForStart = () => Promise<string | undefined>;

/** A node that is declared unable to start pods. */
export interface DeclaredNode {
  readonly guest: Guest;
  /** Name of its world. */
  readonly world: string;
  readonly failure: StartFailure;
  readonly lookForStart: LookForStart;
  /** What an earlier line says is of another pod; absent: any line of this boot counts. */
  readonly since?: Date | undefined;
}

/**
 * Waits until a node that is declared unable to start pods has failed with the declared text in the declared journal of this
 * boot.
 *
 * @throws DeclaredStartFailure when it has, with the line; HostError LAB_STARTED_ANYWAY when pods start;
 *   ProbeTimeoutError when neither is seen.
 */
export async function proveStartFailure(host: Host, node: DeclaredNode): Promise<never> {
  const { guest, world, failure } = node;
  const failed: Probe<string> = {
    title: `${guest.name} to fail as declared (${failure.id}): "${failure.text}"`,
    look: () => lookAtJournal(node),
    tryNext: 'the declaration in `startFailures` of matrix.yaml is wrong, or the node failed earlier',
  };
  const seen = await host.waitFor(failed, {
    timeoutMs: TIME_LIMITS.cluster.startFailure.ms,
    intervalMs: 1_000,
  });
  const { id: rule, reason, source, text } = failure;
  throw new DeclaredStartFailure({ world, rule, reason, source, text, seen });
}

async function lookAtJournal({
  guest,
  world,
  failure,
  lookForStart,
  since,
}: DeclaredNode): Promise<Look<string>> {
  const { stdout, stderr } = await guest.script(journalScript(failure, since), {
    timeoutMs: TIME_LIMITS.cluster.journal.ms,
  });
  const line = stdout.trim();
  if (line !== '') return { done: true, value: line };
  const started = await lookForStart();
  if (started !== undefined) {
    throw new HostError(
      'LAB_STARTED_ANYWAY',
      `world ${world} is declared unable to start pods, but ${started}`,
      {
        lastSeen: `no "${failure.text}" in the journal of ${failure.journal}`,
        tryNext: `correct ${failure.id} in \`startFailures\` of matrix.yaml`,
      },
    );
  }
  const nothing = `nothing of the kind in the journal of ${failure.journal}`;
  return { done: false, seen: stderr.trim() || nothing };
}

/** Prints the first line of the journal that has the text. */
function journalScript({ journal, text }: StartFailure, since: Date | undefined): string {
  const from = since === undefined ? '' : ` --since=@${Math.floor(since.getTime() / 1000)}`;
  return `journalctl -b -u ${journal}${from} --no-pager -o cat | grep -m1 -F -- ${shellQuote(text)} || true`;
}

/** Whether the API server runs, which it does only where pods start. */
export async function lookForApiServer(guest: Guest): Promise<string | undefined> {
  const { status, stdout } = await guest.script('pgrep -xo kube-apiserver', {
    timeoutMs: TIME_LIMITS.cluster.journal.ms,
  });
  return status === 0 ? `its API server runs (process ${stdout.trim()})` : undefined;
}
