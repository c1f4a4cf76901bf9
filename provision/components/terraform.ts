import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { compareVersions } from '../../lab/model/components.ts';
import { CommandError, HostError } from '../../lab/model/errors.ts';
import { cachePaths } from '../../lab/model/paths.ts';
import { ensureComponents, readComponents } from './components.ts';
import { findOnPath } from './programs.ts';
import type { ComponentHost } from './source.ts';

/** The provider by its full address: OpenTofu's own registry is another one, so the host name is part of it. */
export const PROVIDER_ADDRESS = 'registry.terraform.io/dmacvicar/libvirt';
/** The release that the stack is written for. */
export const PROVIDER_VERSION = '0.8.3';

const OLDEST_TERRAFORM = '1.5';
const REGISTRY_TIMEOUT_MS = 60_000;

/** A program that applies stacks. */
export interface TerraformProgram {
  /** Absolute path. */
  readonly program: string;
  readonly kind: 'terraform' | 'tofu';
  readonly version: string;
}

/** A provider ready for `terraform init`. */
export interface Provider {
  /** For TF_CLI_CONFIG_FILE of every call. */
  readonly cliConfig: string;
  readonly source: 'registry' | 'local';
}

/** Finds Terraform >= 1.5 or OpenTofu on PATH, else builds OpenTofu. */
export async function ensureTerraform(host: ComponentHost): Promise<TerraformProgram> {
  for (const kind of ['terraform', 'tofu'] as const) {
    for (const program of await findOnPath(host, kind)) {
      const version = await readVersion(host, program);
      if (version !== undefined && compareVersions(version, OLDEST_TERRAFORM) >= 0)
        return { program, kind, version };
    }
  }
  const [artifact] = await ensureComponents(host, readComponents(host.projectDir), [{ name: 'opentofu' }]);
  const program = artifact?.files['tofu'];
  if (artifact === undefined || program === undefined) {
    throw new HostError('LAB_TERRAFORM_MISSING', 'the component opentofu has no program tofu', {
      tryNext: 'install Terraform >= 1.5 or OpenTofu, or correct components.yaml',
    });
  }
  return { program, kind: 'tofu', version: artifact.version };
}

const versionSchema = z.object({ terraform_version: z.string() });

async function readVersion(host: ComponentHost, program: string): Promise<string | undefined> {
  const env = { ...terraformEnvironment(), TF_CLI_CONFIG_FILE: '/dev/null' };
  try {
    const { stdout } = await host.run(program, ['version', '-json'], { env, signal: host.signal });
    return versionSchema.parse(JSON.parse(stdout)).terraform_version;
  } catch (error) {
    // A version manager's stub or a broken install: not a reason to stop, another one is looked for.
    if (error instanceof CommandError && error.failure === 'exit-code') {
      host.progress.note(`${program} does not work, looking further: ${error.tail.split('\n').at(-1) ?? ''}`);
      return undefined;
    }
    throw error;
  }
}

/** Settings of the user that would change what a call of ours does, removed. */
function terraformEnvironment(): Record<string, string | undefined> {
  return {
    CHECKPOINT_DISABLE: '1',
    TF_IN_AUTOMATION: '1',
    TF_CLI_ARGS: undefined,
    TF_CLI_ARGS_init: undefined,
    TF_PLUGIN_CACHE_DIR: undefined,
    TF_WORKSPACE: undefined,
    TF_DATA_DIR: undefined,
  };
}

/**
 * Puts the real provider into a mirror of ours, from the Terraform registry when it answers, else built from its Go
 * module, and writes a CLI configuration that takes exactly that provider from there and nothing from the network.
 */
export async function ensureProvider(host: ComponentHost, terraform: TerraformProgram): Promise<Provider> {
  const mirror = cachePaths(host.cacheDir).providers;
  const folder = join(mirror, PROVIDER_ADDRESS);
  mkdirSync(mirror, { recursive: true });
  if (findMirrored(folder) === undefined) {
    await host.progress.step(`provider ${PROVIDER_ADDRESS} ${PROVIDER_VERSION}`, async (update) => {
      update('asking the Terraform registry');
      const reason = await mirrorFromRegistry(host, terraform, mirror, folder);
      if (reason === undefined) return;
      update(`not from the registry (${reason}): building it from its Go module`);
      await mirrorFromModule(host, mirror, folder);
    });
  }
  const source = findMirrored(folder);
  if (source === undefined)
    throw new HostError('LAB_PROVIDER_MISSING', `${folder} is empty after it was filled`);
  const cliConfig = join(mirror, 'terraform.rc');
  replaceFolderEntry(`${cliConfig}.${process.pid}`, cliConfig, (path) =>
    writeFileSync(path, renderCliConfig(mirror)),
  );
  return { cliConfig, source };
}

/** Renders the CLI configuration: one mirror for one provider, no direct installation. */
export function renderCliConfig(mirror: string): string {
  return [
    'provider_installation {',
    '  filesystem_mirror {',
    `    path    = ${JSON.stringify(mirror)}`,
    `    include = ["${PROVIDER_ADDRESS}"]`,
    '  }',
    '}',
    '',
  ].join('\n');
}

const PLATFORM = 'linux_amd64';
const PACKED = `terraform-provider-libvirt_${PROVIDER_VERSION}_${PLATFORM}.zip`;
const PROGRAM = `terraform-provider-libvirt_v${PROVIDER_VERSION}`;

/** The registry's mirror holds a zip, ours the program itself; Terraform reads both layouts. */
function findMirrored(folder: string): Provider['source'] | undefined {
  if (existsSync(join(folder, PACKED))) return 'registry';
  return existsSync(join(folder, PROVIDER_VERSION, PLATFORM, PROGRAM)) ? 'local' : undefined;
}

/** Returns undefined when the provider is there, else why the registry did not give it. */
async function mirrorFromRegistry(
  host: ComponentHost,
  terraform: TerraformProgram,
  mirror: string,
  folder: string,
): Promise<string | undefined> {
  const work = join(mirror, `.registry-${process.pid}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, 'stack'), { recursive: true });
  const required = { libvirt: { source: PROVIDER_ADDRESS, version: PROVIDER_VERSION } };
  writeFileSync(
    join(work, 'stack', 'main.tf.json'),
    JSON.stringify({ terraform: [{ required_providers: [required] }] }),
  );
  try {
    await host.run(
      terraform.program,
      ['providers', 'mirror', `-platform=${PLATFORM}`, join(work, 'mirror')],
      {
        cwd: join(work, 'stack'),
        env: {
          ...terraformEnvironment(),
          TF_CLI_CONFIG_FILE: '/dev/null',
          TF_REGISTRY_DISCOVERY_RETRY: '0',
          TF_REGISTRY_CLIENT_TIMEOUT: '5',
        },
        signal: host.signal,
        timeoutMs: REGISTRY_TIMEOUT_MS,
      },
    );
    const mirrored = join(work, 'mirror', PROVIDER_ADDRESS);
    if (!readdirSync(mirrored).includes(PACKED)) return `it has no ${PACKED}`;
    mkdirSync(join(folder, '..'), { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(mirrored, folder);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
    return error.failure === 'timed-out' ? 'no answer in time' : 'it does not answer';
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function mirrorFromModule(host: ComponentHost, mirror: string, folder: string): Promise<void> {
  const [artifact] = await ensureComponents(host, readComponents(host.projectDir), [
    { name: 'provider-libvirt', version: PROVIDER_VERSION },
  ]);
  const program = artifact?.files[PROGRAM];
  if (program === undefined) {
    throw new HostError('LAB_PROVIDER_MISSING', `the component provider-libvirt has no program ${PROGRAM}`, {
      tryNext: 'correct components.yaml',
    });
  }
  const target = join(folder, PROVIDER_VERSION, PLATFORM);
  mkdirSync(target, { recursive: true });
  replaceFolderEntry(join(mirror, `.${PROGRAM}.${process.pid}`), join(target, PROGRAM), (path) =>
    copyFileSync(program, path),
  );
}

/** Writes beside and renames, so that a second lab never sees half a file. */
function replaceFolderEntry(temporary: string, target: string, write: (path: string) => void): void {
  try {
    write(temporary);
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}
