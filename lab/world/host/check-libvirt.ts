import { connectLibvirt, libvirtUri } from '../../drivers/machines/libvirt.ts';
import { CommandError } from '../../model/errors/errors.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import type { AutoFix, Check, CheckContext } from './check.ts';

const SYSTEMD_FOLDER = '/run/systemd/system';

/** libvirt answers: the system daemon for root, a session daemon (which virsh starts) for everybody else. */
export const checkLibvirt: Check = {
  name: 'libvirt',
  look: async (context) => {
    const { host, facts } = context;
    if (facts.findTool('virsh') === undefined) {
      return {
        ok: false,
        found: 'no virsh',
        why: 'machines are made and saved through libvirt',
        after: 'packages',
      };
    }
    const uri = libvirtUri(host);
    const failure = await askVirsh(context, uri);
    const stopped = failure?.isHanging === true ? [] : listStopped(context, failure === undefined);
    if (stopped.length > 0)
      return { ok: true, found: describeStopped(stopped), autoFix: startDaemons(context) };
    if (failure === undefined) return { ok: true, found: `${uri} answers` };
    const finding = { ok: false, found: failure.found, why: `libvirt does not work at ${uri}` };
    if (host.uid !== 0) return { ...finding, fix: `see what it says: virsh -c ${uri} version` };
    const fix = facts.fileExists(SYSTEMD_FOLDER)
      ? 'systemctl start virtlogd libvirtd'
      : 'virtlogd -d; libvirtd -d';
    return { ...finding, fix, autoFix: startDaemons(context) };
  },
};

interface Failure {
  readonly found: string;
  readonly isHanging: boolean;
}

async function askVirsh({ host }: CheckContext, uri: string): Promise<Failure | undefined> {
  try {
    await host.run('virsh', ['-c', uri, 'uri'], {
      env: { LC_ALL: 'C' },
      timeoutMs: TIME_LIMITS.host.libvirtCheck.ms,
      signal: host.signal,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
    const isHanging = error.failure === 'timed-out';
    const said = isHanging
      ? `no answer within ${TIME_LIMITS.host.libvirtCheck.ms / 1000} s`
      : error.tail.replaceAll('\n', ' ') || error.message;
    return { found: `virsh -c ${uri} uri: ${said}`, isHanging };
  }
}

/**
 * The daemons of root that have to be started. systemd starts them on demand, unless their sockets were stopped; elsewhere
 * even a domain with a console log needs a running virtlogd.
 */
function listStopped({ host, facts }: CheckContext, isAnswering: boolean): string[] {
  if (host.uid !== 0) return [];
  if (isAnswering && facts.fileExists(SYSTEMD_FOLDER)) return [];
  return ['virtlogd', 'libvirtd'].filter((program) => !facts.isProgramRunning(program));
}

function describeStopped(stopped: readonly string[]): string {
  const isOne = stopped.length === 1;
  const state = isOne
    ? 'is not running; npx whodunit up starts it'
    : 'are not running; npx whodunit up starts them';
  return `${stopped.join(' and ')} ${state}`;
}

function startDaemons({ host, facts }: CheckContext): AutoFix {
  if (!facts.fileExists(SYSTEMD_FOLDER))
    return {
      title: 'start libvirtd and virtlogd (no init does it here)',
      apply: async () => {
        await connectLibvirt(host);
      },
    };
  return {
    title: 'start libvirt',
    apply: async () => {
      await host.run('systemctl', ['start', 'virtlogd', 'libvirtd'], {
        timeoutMs: TIME_LIMITS.host.systemctl.ms,
        signal: host.signal,
      });
    },
  };
}
