import { readHostFacts, type HostFacts } from '../../drivers/host/host-facts.ts';
import { withTemporaryFile } from '../../drivers/files/temporary-file.ts';
import { CommandError, HostError } from '../../model/errors/errors.ts';
import type { Accelerator, Host } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { buildBootSector, PROOF_STATUS } from './boot-sector.ts';

/** The accelerator that was proven to work, and why it was chosen. */
export interface AcceleratorProof {
  readonly accelerator: Accelerator;
  readonly reason: string;
}

/** What a check of the accelerator needs of the host. */
export type ProofHost = Pick<Host, 'run' | 'signal' | 'progress'>;

/** The proof costs a boot; it is made once for each context of this process. */
const proofs = new WeakMap<ProofHost, Promise<AcceleratorProof>>();

/**
 * Proves how guests can run here. KVM needs the CPU flag AND a usable /dev/kvm AND a boot that really gets through:
 * the device may exist, and libvirt list it, where no guest boots. Otherwise emulation (TCG) is proven the same way.
 *
 * @throws HostError LAB_QEMU when not even emulation works.
 */
export function proveAccelerator(
  host: ProofHost,
  facts: HostFacts = readHostFacts(),
): Promise<AcceleratorProof> {
  const known = proofs.get(host);
  if (known !== undefined) return known;
  const proof = boot(host, facts);
  proofs.set(host, proof);
  return proof;
}

/** Forgets the proof, after something on the host was changed. */
export function forgetProof(host: ProofHost): void {
  proofs.delete(host);
}

async function boot(host: ProofHost, facts: HostFacts): Promise<AcceleratorProof> {
  const without = await whyNoKvm(host, facts);
  if (without === undefined) {
    return {
      accelerator: 'kvm',
      reason: `CPU flag ${facts.findCpuFlag() ?? ''}, and a test guest booted with KVM`,
    };
  }
  const failure = await bootProof(host, 'tcg', TIME_LIMITS.host.tcgProof.ms);
  if (failure !== undefined) {
    throw new HostError('LAB_QEMU', 'QEMU cannot boot a guest on this host, not even emulated', {
      lastSeen: failure,
      tryNext: 'npx whodunit doctor --fix',
    });
  }
  return { accelerator: 'tcg', reason: `${without}; a test guest booted emulated` };
}

/**
 * The accelerator that this host seems to have; starts nothing. The proof may come out otherwise where KVM is there but
 * boots no guest.
 */
export function expectAccelerator(facts: HostFacts = readHostFacts()): Accelerator {
  return whatLacksForKvm(facts) === undefined ? 'kvm' : 'tcg';
}

/** Returns why KVM cannot be used; undefined when a guest booted with it. */
async function whyNoKvm(host: ProofHost, facts: HostFacts): Promise<string | undefined> {
  const without = whatLacksForKvm(facts);
  if (without !== undefined) return without;
  const failure = await bootProof(host, 'kvm', TIME_LIMITS.host.kvmProof.ms);
  return failure === undefined ? undefined : `no guest boots with KVM: ${failure}`;
}

function whatLacksForKvm(facts: HostFacts): string | undefined {
  if (facts.findCpuFlag() === undefined) return 'the CPU shows no vmx or svm flag';
  const device = facts.findKvmDevice();
  if (device === undefined) return 'there is no /dev/kvm';
  if (device.broken !== undefined) return `/dev/kvm cannot be opened: ${device.broken}`;
  return device.usable ? undefined : `${facts.userName} may not open /dev/kvm`;
}

/** Boots the test payload. Returns what went wrong, in one line; undefined when it got through. */
function bootProof(
  host: ProofHost,
  accelerator: Accelerator,
  timeoutMs: number,
): Promise<string | undefined> {
  const how = accelerator === 'kvm' ? 'with KVM' : 'emulated';
  return host.progress.step(`boot a test guest ${how}: a few bytes, no disk, no network`, () =>
    tryBoot(host, accelerator, timeoutMs),
  );
}

async function tryBoot(
  host: ProofHost,
  accelerator: Accelerator,
  timeoutMs: number,
): Promise<string | undefined> {
  try {
    await withTemporaryFile('boot-sector.img', buildBootSector(), (image) =>
      host.run('qemu-system-x86_64', proofArguments(accelerator, image), {
        okStatus: [PROOF_STATUS],
        timeoutMs,
        signal: host.signal,
      }),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
    return describeFailure(error, timeoutMs);
  }
}

function proofArguments(accelerator: Accelerator, image: string): string[] {
  return [
    '-accel',
    accelerator,
    '-machine',
    'pc',
    '-cpu',
    accelerator === 'kvm' ? 'host' : 'max',
    '-m',
    '16',
    '-nodefaults',
    '-no-user-config',
    '-display',
    'none',
    '-no-reboot',
    '-device',
    'isa-debug-exit,iobase=0xf4,iosize=0x04',
    // QEMU reads a comma in a file name as the end of it unless it is doubled.
    '-drive',
    `file=${image.replaceAll(',', ',,')},format=raw,if=floppy,readonly=on`,
    '-boot',
    'a',
  ];
}

function describeFailure(error: CommandError, timeoutMs: number): string {
  if (error.failure === 'not-found') return 'qemu-system-x86_64 is not installed';
  if (error.failure === 'timed-out') return `the test guest did not end within ${timeoutMs / 1000} s`;
  const said = error.tail.split('\n').at(-1)?.trim() ?? '';
  const how =
    error.failure === 'killed' ? `killed by ${error.signal ?? 'a signal'}` : `status ${error.status ?? '?'}`;
  return said === '' ? `QEMU ended with ${how}` : `${said} (${how})`;
}
