import type { Socket } from 'node:net';
import type { ServerChannel } from 'ssh2';
import type { MachineSpec } from '../../lab/model/host/machine.ts';

/** A base image, as `bakeDisk` writes it; a file that was cut is no JSON. */
export interface BaseImage {
  readonly hostKey: string;
  readonly versions: Readonly<Record<string, string>>;
}

/** What a guest knows: all of it goes into a snapshot and comes back from it. */
export interface GuestMemory {
  /** Files that the lab has written, by path. */
  readonly files: Record<string, string>;
  readonly sysctl: Record<string, string>;
  /** Pods that were created, by namespace and name. */
  readonly pods: Record<string, unknown>;
}

/** The Kubernetes API of a guest, as far as the lab asks it. */
export interface StandInApi {
  serve(socket: Socket): void;
  kubeconfig(): string;
  /** Drops what waits for changes: the guest was restored. */
  forget(): void;
}

/** What a guest is made of. */
export interface GuestBody {
  readonly spec: MachineSpec;
  readonly base: BaseImage;
  memory: GuestMemory;
  readonly api: StandInApi;
  /** Channels on which `cat /dev/kmsg` runs. */
  readonly kernelLogs: Set<ServerChannel>;
}
