import type { NodeSettings } from '../../lab/model/declared/node-settings.ts';
import { parseSize } from '../../lab/model/text/parse-size.ts';
import { shellQuote } from '../../lab/model/text/shell.ts';
import type { GuestStep } from './steps.ts';

/** Where units of a knob are in a guest. */
export const UNITS_FOLDER = '/etc/systemd/system';

/** Where modules are named that a guest loads at every boot. */
const MODULES_FILE = '/etc/modules-load.d/whodunit-knobs.conf';

/** The swap of a node as /proc/swaps names it. */
export const SWAP_DEVICES = { file: '/swapfile', zram: '/dev/zram0' } as const;

/** The unit that turns swap on at every boot. A unit of swap is named by its path (systemd.swap(5)). */
const SWAP_UNITS = { file: 'swapfile.swap', zram: 'whodunit-zram.service' } as const;

/** Files of a node, and the step that makes them count. */
export interface PlannedSettings {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly step: GuestStep;
}

/**
 * Plans what a knob sets of a running node; undefined for one that sets nothing of it. Packages are in the image, and
 * containerd and the control plane have files of their own.
 */
export function planNodeSettings({
  swap,
  units = {},
  modules = [],
}: NodeSettings): PlannedSettings | undefined {
  const own = Object.entries(units).map(([name, text]) => ({ path: `${UNITS_FOLDER}/${name}`, text }));
  if (swap === undefined && own.length === 0 && modules.length === 0) return undefined;
  const ofModules = modules.length === 0 ? [] : [{ path: MODULES_FILE, text: `${modules.join('\n')}\n` }];
  const ofSwap =
    swap === undefined
      ? []
      : [{ path: `${UNITS_FOLDER}/${SWAP_UNITS[swap.on]}`, text: renderSwapUnit(swap) }];
  const script = [
    '# What the knobs of the variant set of the node. The files were written before.',
    ...(modules.length === 0 ? [] : [`modprobe -a ${modules.join(' ')}`]),
    ...(swap?.on === 'file' ? [makeSwapFile(sizeOf(swap))] : []),
    'systemctl daemon-reload',
    ...(swap === undefined ? [] : [`systemctl enable --now --quiet ${SWAP_UNITS[swap.on]}`]),
    ...Object.entries(units).map(([name, text]) => startUnit(name, text)),
  ];
  return {
    files: [...own, ...ofModules, ...ofSwap],
    step: { name: '05-knobs', script: `${script.join('\n')}\n` },
  };
}

/** The bytes of a swap, of which the kernel takes a page for itself. */
export function sizeOf({ size }: NonNullable<NodeSettings['swap']>): number {
  return parseSize(size) ?? 0;
}

function renderSwapUnit(swap: NonNullable<NodeSettings['swap']>): string {
  if (swap.on === 'file') return `[Swap]\nWhat=${SWAP_DEVICES.file}\n\n[Install]\nWantedBy=swap.target\n`;
  const device = SWAP_DEVICES.zram;
  const make = `modprobe zram && echo ${sizeOf(swap)} > /sys/block/zram0/disksize && mkswap ${device} && swapon ${device}`;
  return [
    '[Unit]',
    'Before=kubelet.service',
    '',
    '[Service]',
    'Type=oneshot',
    'RemainAfterExit=yes',
    `ExecStart=/bin/sh -c '${make}'`,
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
}

function makeSwapFile(bytes: number): string {
  const file = SWAP_DEVICES.file;
  return `[ -f ${file} ] || { fallocate -l ${bytes} ${file}.new; chmod 600 ${file}.new; mkswap ${file}.new > /dev/null; mv ${file}.new ${file}; }`;
}

/**
 * Makes a unit or a drop-in count. systemd passes over what it does not understand with a line in its journal; here that
 * ends the build.
 */
function startUnit(name: string, text: string): string {
  const path = shellQuote(`${UNITS_FOLDER}/${name}`);
  const [unit = ''] = name.split('.d/');
  const verify = `said=$(systemd-analyze verify ${shellQuote(unit)} 2>&1 || true); if grep -F ${path}: <<< "$said" >&2; then exit 1; fi`;
  if (unit !== name) return `${verify}\nsystemctl try-restart ${shellQuote(unit)}`;
  return /^\[Install\]\s*$/m.test(text)
    ? `${verify}\nsystemctl enable --now --quiet ${shellQuote(unit)}`
    : verify;
}
