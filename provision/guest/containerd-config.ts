/**
 * containerd's configuration of a node, for every containerd from 1.4 on, and that of gVisor's shim.
 *
 * containerd 1.x reads file version 2 with the CRI plugin under one name; 2.x reads version 3, where it is two plugins
 * (https://github.com/containerd/containerd/blob/v2.1.4/docs/cri/config.md). Only what differs from containerd's own
 * defaults, or what the axes decide, is written.
 */

/** Where gVisor's shim reads its configuration in the guest. */
export const RUNSC_CONFIG = '/etc/containerd/runsc.toml';

/** gVisor's logs in the guest: one folder for each sandbox. */
export const RUNSC_LOGS = '/var/log/runsc';

/** How pods run in gVisor. */
export interface RunscSettings {
  /** Whether runsc manages cgroups through systemd. */
  readonly systemdCgroup: boolean;
  /**
   * `runsc`: gVisor's own containerd-shim-runsc-v1. `runc`: containerd's runc shim with runsc as its program, which is
   * all that Debian's package allows, as it brings no shim.
   */
  readonly shim: 'runsc' | 'runc';
}

/** A handler of containerd's runc shim beside the default one: a program with the command line of runc, under the same driver. */
export interface RuncLikeHandler {
  readonly name: string;
  /** Absolute, in the guest. */
  readonly program: string;
}

/** What decides containerd's configuration. */
export interface ContainerdSettings {
  /** As containerd prints it, with or without a leading `v`: `1.6.20~ds1`, `v2.1.4`. */
  readonly version: string;
  /** The sandbox image that kubeadm expects, exactly. */
  readonly pauseImage: string;
  /** Driver of the runc handler: true = systemd, false = cgroupfs. */
  readonly systemdCgroup: boolean;
  readonly runsc?: RunscSettings;
  /** A handler for workloads: crun, youki, or a runc under test. */
  readonly beside?: RuncLikeHandler;
}

/** Renders `/etc/containerd/config.toml`. */
export function renderContainerdConfig(settings: ContainerdSettings): string {
  const major = Number(/^v?(\d+)\./.exec(settings.version)?.[1]);
  if (!(major >= 1)) throw new RangeError(`no containerd version: "${settings.version}"`);
  return major === 1 ? renderVersion2(settings) : renderVersion3(settings);
}

function renderVersion2(settings: ContainerdSettings): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return [
    'version = 2',
    '',
    `[${cri}]`,
    `  sandbox_image = "${settings.pauseImage}"`,
    // The kernel has AppArmor and the node does not have its parser. Not every 1.x looks for it first: 1.6.2 did not, and
    // no container started (`hostSupports` in pkg/apparmor).
    '  disable_apparmor = true',
    `[${cri}.cni]`,
    '  bin_dir = "/opt/cni/bin"',
    '  conf_dir = "/etc/cni/net.d"',
    `[${cri}.containerd]`,
    '  default_runtime_name = "runc"',
    ...renderHandlers(`${cri}.containerd.runtimes`, settings),
    '',
  ].join('\n');
}

/** The CNI folders are containerd's defaults, so they are not named: 2.1 renamed `bin_dir`. */
function renderVersion3(settings: ContainerdSettings): string {
  const runtime = `plugins.'io.containerd.cri.v1.runtime'`;
  return [
    'version = 3',
    '',
    `[plugins.'io.containerd.cri.v1.images'.pinned_images]`,
    `  sandbox = "${settings.pauseImage}"`,
    `[${runtime}.containerd]`,
    '  default_runtime_name = "runc"',
    ...renderHandlers(`${runtime}.containerd.runtimes`, settings),
    '',
  ].join('\n');
}

function renderHandlers(table: string, { systemdCgroup, runsc, beside }: ContainerdSettings): string[] {
  return [
    ...renderOfRuncShim(`${table}.runc`, systemdCgroup),
    ...(beside === undefined
      ? []
      : renderOfRuncShim(`${table}.${beside.name}`, systemdCgroup, beside.program)),
    ...(runsc === undefined ? [] : renderRunsc(`${table}.runsc`, runsc)),
  ];
}

/** A handler of containerd's runc shim, with a program that has the command line of runc. */
function renderOfRuncShim(handler: string, systemdCgroup: boolean, program?: string): string[] {
  return [
    `[${handler}]`,
    '  runtime_type = "io.containerd.runc.v2"',
    `[${handler}.options]`,
    ...(program === undefined ? [] : [`  BinaryName = "${program}"`]),
    `  SystemdCgroup = ${systemdCgroup}`,
  ];
}

function renderRunsc(handler: string, { shim, systemdCgroup }: RunscSettings): string[] {
  if (shim === 'runc') return renderOfRuncShim(handler, systemdCgroup, '/usr/bin/runsc');
  return [
    `[${handler}]`,
    '  runtime_type = "io.containerd.runsc.v1"',
    `[${handler}.options]`,
    '  TypeUrl = "io.containerd.runsc.v1.options"',
    `  ConfigPath = "${RUNSC_CONFIG}"`,
  ];
}

/**
 * Renders `/etc/containerd/runsc.toml`. A flag that is not asked for is left out, as on the nodes of the reports:
 * https://gvisor.dev/docs/user_guide/containerd/configuration/
 */
export function renderRunscConfig(settings: Pick<RunscSettings, 'systemdCgroup'>): string {
  return [
    `log_path = "${RUNSC_LOGS}/%ID%/shim.log"`,
    'log_level = "debug"',
    '[runsc_config]',
    ...(settings.systemdCgroup ? ['  systemd-cgroup = "true"'] : []),
    '  debug = "true"',
    `  debug-log = "${RUNSC_LOGS}/%ID%/gvisor.%COMMAND%.log"`,
    '',
  ].join('\n');
}
