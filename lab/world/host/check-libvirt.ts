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
    const failure = (await askVirsh(context, uri)) ?? findMissingDaemon(context);
    if (failure === undefined) return { ok: true, found: `${uri} answers` };
    const finding = { ok: false, found: failure, why: `libvirt does not work at ${uri}` };
    if (host.uid !== 0) return { ...finding, fix: `see what it says: virsh -c ${uri} version` };
    if (facts.fileExists(SYSTEMD_FOLDER)) {
      return { ...finding, fix: 'systemctl start virtlogd libvirtd', autoFix: startBySystemd(context) };
    }
    return { ...finding, fix: 'virtlogd -d; libvirtd -d', autoFix: startDirectly(context) };
  },
};

async function askVirsh({ host }: CheckContext, uri: string): Promise<string | undefined> {
  try {
    await host.run('virsh', ['-c', uri, 'uri'], {
      env: { LC_ALL: 'C' },
      timeoutMs: TIME_LIMITS.host.libvirtCheck.ms,
      signal: host.signal,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
    if (error.failure === 'timed-out')
      return `virsh -c ${uri} uri: no answer within ${TIME_LIMITS.host.libvirtCheck.ms / 1000} s`;
    return `virsh -c ${uri} uri: ${error.tail.replaceAll('\n', ' ') || error.message}`;
  }
}

/** Without an init that starts it on demand, a domain with a console log needs a running virtlogd. */
function findMissingDaemon({ host, facts }: CheckContext): string | undefined {
  if (host.uid !== 0 || facts.fileExists(SYSTEMD_FOLDER)) return undefined;
  return facts.isProgramRunning('virtlogd') ? undefined : 'virtlogd is not running';
}

function startBySystemd({ host }: CheckContext): AutoFix {
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

function startDirectly({ host }: CheckContext): AutoFix {
  return {
    title: 'start libvirtd and virtlogd (no init does it here)',
    apply: async () => {
      await connectLibvirt(host);
    },
  };
}
