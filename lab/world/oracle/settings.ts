import { parse } from 'smol-toml';
import {
  CONTROL_PLANE,
  CONTROL_PLANE_FIELDS,
  flagsOf,
  type NodeSettings,
} from '../../model/declared/node-settings.ts';
import { isObject } from '../../model/files/parse-json.ts';
import type { EffectiveSettings } from '../../model/saved/effective.ts';
import { shellQuote } from '../../model/text/shell.ts';
import { sizeOf, SWAP_DEVICES, UNITS_FOLDER } from '../../../provision/guest/node-settings.ts';

/** What a knob sets of nodes and of the control plane, as it is read back: empty where nothing is set. */
export interface ExpectedSettings {
  readonly swap?: { readonly device: string; readonly bytes: number };
  readonly packages: readonly string[];
  readonly modules: readonly string[];
  /** Text by the name of the unit or drop-in. */
  readonly units: Readonly<Record<string, string>>;
  /** Values of containerd's configuration, by their path of keys joined by ` / `. */
  readonly containerd: Readonly<Record<string, unknown>>;
  /** Words of the command line, by program of the control plane. */
  readonly flags: Readonly<Record<string, readonly string[]>>;
}

/** Derives what has to be read back. */
export function expectSettings(settings: NodeSettings): ExpectedSettings {
  const { swap, packages = [], modules = [], units = {}, containerd = {} } = settings;
  const flags = CONTROL_PLANE_FIELDS.flatMap((field) => {
    const words = Object.entries(flagsOf(settings[field])).map(([name, value]) => `--${name}=${value}`);
    return words.length === 0 ? [] : [[CONTROL_PLANE[field], words] as const];
  });
  return {
    ...(swap === undefined ? {} : { swap: { device: SWAP_DEVICES[swap.on], bytes: sizeOf(swap) } }),
    packages,
    modules,
    units,
    containerd: Object.fromEntries(listLeaves(containerd)),
    flags: Object.fromEntries(flags),
  };
}

/** What a table of TOML says below its tables, by the path of keys. */
function listLeaves(table: object, path: readonly string[] = []): [string, unknown][] {
  return Object.entries(table).flatMap(([name, value]: [string, unknown]) => {
    const at = [...path, name];
    return isObject(value) && Object.keys(value).length > 0
      ? listLeaves(value, at)
      : [[at.join(' / '), value]];
  });
}

/** Lines of the script that prints what a node is: a section for each kind of setting that is expected. */
export function settingsScript(expected: ExpectedSettings): string {
  const { swap, packages, modules, units, flags } = expected;
  const words = (list: readonly string[]): string => list.map(shellQuote).join(' ');
  return [
    ...(swap === undefined ? [] : ['section swaps; tail -n +2 /proc/swaps']),
    ...(packages.length === 0
      ? []
      : [
          `section packages; dpkg-query -W -f '\${Package} \${db:Status-Status}\\n' ${words(packages)} 2> /dev/null || true`,
        ]),
    ...(modules.length === 0
      ? []
      : [
          `section modules; for name in ${words(modules)}; do if [ -d "/sys/module/\${name//-/_}" ]; then echo "$name"; fi; done`,
        ]),
    ...Object.keys(units).flatMap((name) => unitScript(name)),
    ...Object.keys(flags).map(
      (program) =>
        `section ${shellQuote(sectionOfFlags(program))}; if pid=$(pgrep -xo ${program.slice(0, COMM_LENGTH)}); then tr '\\0' '\\n' < "/proc/$pid/cmdline"; fi`,
    ),
  ].join('\n');
}

/** The kernel keeps so many characters of the name of a process. */
const COMM_LENGTH = 15;

const sectionOfFlags = (program: string): string => `flags of ${program}`;
const sectionOfUnit = (name: string): string => `unit ${name}`;

/** The properties tell whether systemd knows the file; only behind them is its text, which may be anything. */
function unitScript(name: string): string[] {
  const [unit = ''] = name.split('.d/');
  const show = `systemctl show -p FragmentPath -p DropInPaths -p NeedDaemonReload -p ActiveState ${shellQuote(unit)}`;
  const text = `base64 -w 0 ${shellQuote(`${UNITS_FOLDER}/${name}`)} || true; echo`;
  return [`section ${shellQuote(sectionOfUnit(name))}; ${show}; ${text}`];
}

/** Reads what the script printed, by section; undefined where nothing was asked. */
export function parseSettings(
  expected: ExpectedSettings,
  get: (section: string) => string,
): EffectiveSettings | undefined {
  const { swap, packages, modules, units, containerd, flags } = expected;
  const lines = (section: string): string[] =>
    get(section)
      .split('\n')
      .filter((line) => line !== '');
  const read: EffectiveSettings = {
    ...(swap === undefined ? {} : { swaps: lines('swaps').map(parseSwap) }),
    ...(packages.length === 0
      ? {}
      : {
          packages: lines('packages').flatMap((line) =>
            / installed$/.test(line) ? [line.replace(/ .*/, '')] : [],
          ),
        }),
    ...(modules.length === 0 ? {} : { modules: lines('modules') }),
    ...(Object.keys(units).length === 0
      ? {}
      : {
          units: Object.fromEntries(
            Object.keys(units).map((name) => [name, parseUnit(name, lines(sectionOfUnit(name)))]),
          ),
        }),
    ...(Object.keys(containerd).length === 0
      ? {}
      : { containerd: readLeaves(get('containerd-config'), Object.keys(containerd)) }),
    ...(Object.keys(flags).length === 0
      ? {}
      : {
          flags: Object.fromEntries(
            Object.keys(flags).map((program) => [program, lines(sectionOfFlags(program))]),
          ),
        }),
  };
  return Object.keys(read).length === 0 ? undefined : read;
}

/** `/swapfile file 524284 0 -2` */
function parseSwap(line: string): { device: string; bytes: number } {
  const [device = '', , kib = ''] = line.split(/\s+/);
  return { device, bytes: Number(kib) * 1024 };
}

function parseUnit(name: string, lines: readonly string[]): { loaded: boolean; state: string; text: string } {
  const property = (key: string): string =>
    lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1) ?? '';
  const paths = [property('FragmentPath'), ...property('DropInPaths').split(' ')];
  return {
    loaded: paths.includes(`${UNITS_FOLDER}/${name}`) && property('NeedDaemonReload') === 'no',
    state: property('ActiveState'),
    text: Buffer.from(lines.at(-1) ?? '', 'base64').toString('utf8'),
  };
}

function readLeaves(dump: string, wanted: readonly string[]): NonNullable<EffectiveSettings['containerd']> {
  const leaves = new Map(listLeaves(parse(dump)));
  return Object.fromEntries(
    wanted.flatMap((path) => (leaves.has(path) ? [[path, leaves.get(path)]] : [])),
  ) as NonNullable<EffectiveSettings['containerd']>;
}

/** Something that was expected, and what was found in place of it. */
interface SettingDifference {
  readonly what: string;
  readonly declared: unknown;
  readonly found: unknown;
}

/** A swap is smaller than its file or device by a page, and a device is a whole number of them. */
const SWAP_SLACK = 2 * 4096;

/**
 * Compares what was read back with what was expected.
 *
 * @param isControlPlane whether the programs of the control plane are on this node.
 */
export function compareSettings(
  expected: ExpectedSettings,
  found: EffectiveSettings = {},
  isControlPlane = true,
): SettingDifference[] {
  return [
    ...compareSwap(expected, found),
    ...listMissing('package', expected.packages, found.packages),
    ...listMissing('kernel module', expected.modules, found.modules),
    ...Object.entries(expected.units).flatMap(([name, text]) => compareUnit(name, text, found)),
    ...Object.entries(expected.containerd).flatMap(([path, declared]) => {
      const value = found.containerd?.[path];
      const isSame = JSON.stringify(value) === JSON.stringify(declared);
      return isSame ? [] : [{ what: `containerd's ${path}`, declared, found: value }];
    }),
    ...(isControlPlane ? compareFlags(expected, found) : []),
  ];
}

function compareSwap({ swap }: ExpectedSettings, { swaps = [] }: EffectiveSettings): SettingDifference[] {
  if (swap === undefined) return [];
  const [first, ...others] = swaps;
  const isSame =
    first?.device === swap.device &&
    others.length === 0 &&
    first.bytes <= swap.bytes &&
    first.bytes >= swap.bytes - SWAP_SLACK;
  return isSame ? [] : [{ what: 'swap', declared: swap, found: swaps }];
}

function listMissing(
  what: string,
  wanted: readonly string[],
  found: readonly string[] = [],
): SettingDifference[] {
  return wanted
    .filter((name) => !found.includes(name))
    .map((name) => ({ what, declared: name, found: undefined }));
}

function compareUnit(name: string, text: string, { units }: EffectiveSettings): SettingDifference[] {
  const found = units?.[name];
  if (found === undefined || found.text !== text)
    return [{ what: `text of ${name}`, declared: text, found: found?.text }];
  if (!found.loaded) return [{ what: `systemd's use of ${name}`, declared: 'loaded', found: 'not loaded' }];
  return found.state === 'failed'
    ? [{ what: `state of ${name}`, declared: 'not failed', found: found.state }]
    : [];
}

function compareFlags({ flags }: ExpectedSettings, found: EffectiveSettings): SettingDifference[] {
  return Object.entries(flags).flatMap(([program, words]) => {
    const line = found.flags?.[program] ?? [];
    return words
      .filter((word) => !line.includes(word))
      .map((word) => {
        const [name = ''] = word.split('=', 1);
        const other = line.find((known) => known.startsWith(`${name}=`));
        return { what: `command line of ${program}`, declared: word, found: other };
      });
  });
}
