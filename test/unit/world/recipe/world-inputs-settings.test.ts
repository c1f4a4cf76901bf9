import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { DEFAULT_VARIANT, type Variant } from '../../../../lab/model/axes/axes.ts';
import { matrixSchema, type KnobBundle } from '../../../../lab/model/declared/matrix.ts';
import {
  compareSettings,
  expectSettings,
  parseSettings,
  settingsScript,
} from '../../../../lab/world/oracle/settings.ts';
import { planImageSpec } from '../../../../lab/world/recipe/image-spec.ts';
import { kubeadmConfig, planWorld, type WorldRecipe } from '../../../../lab/world/recipe/recipe.ts';
import { runtimeFiles } from '../../../../lab/world/recipe/runtime-files.ts';
import { worldInputs, worldKey, type WorldParts } from '../../../../lab/world/recipe/world-inputs.ts';
import { readComponents } from '../../../../provision/components/components.ts';
import { planNodeSettings } from '../../../../provision/guest/node-settings.ts';
import { collectImageInputs } from '../../../../provision/layers/image.ts';
import { healthArgumentsOfApiServer } from '../../../../provision/kubeadm/releases.ts';

const projectDir = process.cwd();
const matrix = matrixSchema.parse(parse(readFileSync('matrix.yaml', 'utf8')));
const catalogue = readComponents(projectDir);
const IMAGE = {
  versions: { containerd: '1.6.20~ds1' },
  images: ['registry.k8s.io/pause:3.10'],
};

function recipeOf(settings: Partial<KnobBundle> = {}, axes: Partial<Variant> = {}): WorldRecipe {
  const knobs = { ...matrix.knobs, mine: { about: 'mine', ...settings } };
  const values = [...matrix.axes.knobs.values, 'mine'];
  const axesOf = { ...matrix.axes, knobs: { ...matrix.axes.knobs, values } };
  const variant = { ...DEFAULT_VARIANT, knobs: 'mine', ...axes };
  return planWorld(variant, { matrix: { ...matrix, axes: axesOf, knobs }, catalogue, projectDir });
}

const UNITS = {
  'bystander.service': '[Service]\nExecStart=/bin/sleep 1d\n\n[Install]\nWantedBy=multi-user.target\n',
  'containerd.service.d/20-oom.conf': '[Service]\nOOMPolicy=continue\n',
};

describe('a knob that sets nothing of a node', () => {
  it('leaves image, world and files as they are: nothing is built again', () => {
    const inputs = (recipe: WorldRecipe) =>
      collectImageInputs({ projectDir, cacheDir: '/nowhere' }, planImageSpec(recipe, []));
    const { packages, ...others } = inputs(recipeOf());
    expect(inputs(recipeOf({ swap: { on: 'file', size: '1Gi' }, units: UNITS, modules: ['zram'] }))).toEqual({
      packages,
      ...others,
    });
    expect(planNodeSettings(recipeOf().knobs)).toBeUndefined();
    expect(planNodeSettings({ packages: ['uidmap'] })).toBeUndefined();
  });

  it('keeps the key of its world: a part that is undefined is not in it', () => {
    const without = partsOf(recipeOf());
    const parts = { ...without, settings: undefined };
    expect(worldKey(parts)).toBe(worldKey(without));
    expect(worldInputs(parts)).toEqual(worldInputs(without));
    const swap = { on: 'file', size: '1Gi' } as const;
    expect(worldKey({ ...parts, settings: planNodeSettings({ swap }) })).not.toBe(worldKey(without));
  });
});

function partsOf(recipe: WorldRecipe): WorldParts {
  return {
    recipe,
    image: { digest: 'd', inputs: {} },
    accelerator: 'tcg',
    kernelArguments: [],
    runtime: runtimeFiles(recipe, IMAGE, 'systemd'),
    kubeadm: [kubeadmConfig(recipe), {}],
    steps: [],
    uri: 'qemu:///session',
  };
}

describe('packages of a knob', () => {
  it('are in an image of its own', () => {
    const host = { projectDir, cacheDir: '/nowhere' };
    const inputs = collectImageInputs(host, planImageSpec(recipeOf({ packages: ['uidmap'] }), []));
    expect(inputs['packages']?.split(' ')).toContain('uidmap');
  });
});

describe("containerd's configuration", () => {
  const merge = {
    plugins: { 'io.containerd.grpc.v1.cri': { max_container_log_line_size: 100, cni: { max_conf_num: 2 } } },
  };

  it('is merged table by table', () => {
    const [plain, merged] = [recipeOf(), recipeOf({ containerd: merge })].map((recipe) =>
      parseToml(runtimeFiles(recipe, IMAGE, 'systemd')[0]?.text ?? ''),
    );
    const before = (plain as { plugins: Record<string, { cni: object }> }).plugins[
      'io.containerd.grpc.v1.cri'
    ];
    expect(merged).toEqual({
      ...plain,
      plugins: {
        'io.containerd.grpc.v1.cri': {
          ...before,
          max_container_log_line_size: 100,
          cni: { ...before?.cni, max_conf_num: 2 },
        },
      },
    });
  });
});

describe('flags and feature gates of the control plane', () => {
  const settings = {
    apiServer: { flags: {}, featureGates: { A: true, B: false } },
    controllerManager: { flags: { 'terminated-pod-gc-threshold': '1' }, featureGates: {} },
  };

  it.each([
    ['1.23.17', (flags: Record<string, string>) => flags],
    [
      '1.34.2',
      (flags: Record<string, string>) => Object.entries(flags).map(([name, value]) => ({ name, value })),
    ],
  ])('are arguments as kubeadm %s takes them', (kubernetes, written) => {
    const [, cluster] = parseAllDocuments(kubeadmConfig(recipeOf(settings, { kubernetes }))).map(
      (document) => document.toJS() as Record<string, { extraArgs?: unknown }>,
    );
    expect(cluster?.['apiServer']?.extraArgs).toEqual(
      written({ ...healthArgumentsOfApiServer(kubernetes, '8s'), 'feature-gates': 'A=true,B=false' }),
    );
    expect(cluster?.['controllerManager']?.extraArgs).toEqual(
      written({ 'leader-elect': 'false', 'terminated-pod-gc-threshold': '1' }),
    );
    expect(cluster?.['scheduler']?.extraArgs).toEqual(written({ 'leader-elect': 'false' }));
  });
});

describe('the step of a node', () => {
  it.each([
    { swap: { on: 'file', size: '1Gi' } },
    { swap: { on: 'zram', size: '512Mi' } },
    { units: UNITS },
    { modules: ['zram'] },
  ] as const)('is a script that bash takes: %o', (settings) => {
    const planned = planNodeSettings(settings as Partial<KnobBundle>);
    execFileSync('bash', ['-n'], { input: planned?.step.script ?? 'exit 1 (' });
    expect(planned?.files.length).toBeGreaterThan(0);
  });

  it('enables units that say how, and restarts what drop-ins are of', () => {
    const script = planNodeSettings({ units: UNITS })?.step.script;
    expect(script).toContain("systemctl enable --now --quiet 'bystander.service'");
    expect(script).toContain("systemctl try-restart 'containerd.service'");
  });
});

const expected = expectSettings({
  swap: { on: 'file', size: '1Gi' },
  packages: ['uidmap'],
  modules: ['zram'],
  units: UNITS,
  containerd: { plugins: { x: { size: 100 } } },
  apiServer: { flags: {}, featureGates: { A: true } },
});

/** What a node says that is as it was declared, by section. */
const PRINTED: Readonly<Record<string, string>> = {
  swaps: '/swapfile                               file\t\t1048572\t\t0\t\t-2',
  packages: 'uidmap installed',
  modules: 'zram',
  'unit bystander.service': unitOf(
    'FragmentPath=/etc/systemd/system/bystander.service',
    UNITS['bystander.service'],
  ),
  'unit containerd.service.d/20-oom.conf': unitOf(
    'FragmentPath=/lib/systemd/system/containerd.service\nDropInPaths=/etc/systemd/system/containerd.service.d/20-oom.conf',
    UNITS['containerd.service.d/20-oom.conf'],
  ),
  'containerd-config': 'version = 2\n[plugins.x]\n  size = 100\n  other = 1\n',
  'flags of kube-apiserver': 'kube-apiserver\n--advertise-address=10.0.2.15\n--feature-gates=A=true',
};

function unitOf(paths: string, text: string): string {
  return `${paths}\nNeedDaemonReload=no\nActiveState=active\n${Buffer.from(text).toString('base64')}`;
}

const differencesOf = (changed: Readonly<Record<string, string>>, isControlPlane = true): string[] => {
  const found = parseSettings(expected, (section) => ({ ...PRINTED, ...changed })[section] ?? '');
  return compareSettings(expected, found, isControlPlane).map(({ what }) => what);
};

describe('the oracle', () => {
  it('finds a node as its knobs say', () => {
    expect(differencesOf({})).toEqual([]);
    execFileSync('bash', ['-n'], { input: settingsScript(expected) });
  });

  it('asks and saves nothing where knobs set nothing', () => {
    expect(settingsScript(expectSettings({}))).toBe('');
    expect(parseSettings(expectSettings({}), () => '')).toBeUndefined();
  });

  it.each([
    ['no swap', { swaps: '' }, 'swap'],
    ['swap of another size', { swaps: '/swapfile file 524284 0 -2' }, 'swap'],
    ['swap elsewhere', { swaps: '/dev/zram0 partition 1048572 0 100' }, 'swap'],
    ['a second swap', { swaps: '/swapfile file 1048572 0 -2\n/other file 4 0 -3' }, 'swap'],
    ['a package that was removed', { packages: 'uidmap config-files' }, 'package'],
    ['a module that is not loaded', { modules: '' }, 'kernel module'],
    ['another text', { 'unit bystander.service': unitOf('', 'x') }, 'text of bystander.service'],
    [
      'a drop-in that systemd does not use',
      {
        'unit containerd.service.d/20-oom.conf': unitOf(
          'DropInPaths=',
          UNITS['containerd.service.d/20-oom.conf'],
        ),
      },
      "systemd's use of containerd.service.d/20-oom.conf",
    ],
    [
      'a unit that failed',
      { 'unit bystander.service': PRINTED['unit bystander.service']?.replace('=active', '=failed') ?? '' },
      'state of bystander.service',
    ],
    ['another value', { 'containerd-config': '[plugins.x]\nsize = 1' }, "containerd's plugins / x / size"],
    ['no value', { 'containerd-config': 'version = 2' }, "containerd's plugins / x / size"],
    [
      'another flag',
      { 'flags of kube-apiserver': 'kube-apiserver\n--feature-gates=A=false' },
      'command line of kube-apiserver',
    ],
  ])('voids a world that has %s', (_, changed, what) => {
    expect(differencesOf(changed)).toEqual([what]);
  });

  it('looks for flags only on the control plane', () => {
    expect(differencesOf({ 'flags of kube-apiserver': '' }, false)).toEqual([]);
  });
});
