import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { compareVersions } from '../../lab/model/components/components.ts';
import { CommandError, HostError } from '../../lab/model/errors/errors.ts';
import { cachePaths } from '../../lab/model/host/paths.ts';
import { OLDEST_TERRAFORM, terraformEnvironment } from '../../lab/model/host/terraform-environment.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';
import type { EntryKind } from '../cache/entry-kind.ts';
import { ensureEntry } from '../cache/entry.ts';
import { writeWhole } from '../cache/write-whole.ts';
import { openSupply, readComponents, type Supply } from './components.ts';
import { findOnPath } from './programs.ts';
import type { ComponentHost } from './source.ts';

/** The provider by its full address: OpenTofu's own registry is another one, so the host name is part of it. */
export const PROVIDER_ADDRESS = 'registry.terraform.io/dmacvicar/libvirt';
/** The release that the stack is written for. */
export const PROVIDER_VERSION = '0.8.3';

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

/** Finds Terraform >= 1.5 or OpenTofu on PATH. */
export async function findTerraform(host: ComponentHost): Promise<TerraformProgram | undefined> {
  for (const kind of ['terraform', 'tofu'] as const) {
    for (const program of await findOnPath(host, kind)) {
      const version = await readVersion(host, program);
      if (version !== undefined && compareVersions(version, OLDEST_TERRAFORM) >= 0)
        return { program, kind, version };
    }
  }
  return undefined;
}

/** Finds Terraform >= 1.5 or OpenTofu on PATH, else takes OpenTofu from a supply (default: one of its own). */
export async function ensureTerraform(host: ComponentHost, supply?: Supply): Promise<TerraformProgram> {
  const installed = await findTerraform(host);
  if (installed !== undefined) return installed;
  const artifact = await (supply ?? openOwnSupply(host))({ name: 'opentofu' }, host.signal);
  const program = artifact.files['tofu'];
  if (program === undefined) {
    throw new HostError('LAB_TERRAFORM_MISSING', 'the component opentofu has no program tofu', {
      tryNext: 'install Terraform >= 1.5 or OpenTofu, or correct components.yaml',
    });
  }
  return { program, kind: 'tofu', version: artifact.version };
}

const versionSchema = z.object({ terraform_version: z.string() });

async function readVersion(host: ComponentHost, program: string): Promise<string | undefined> {
  try {
    const { stdout } = await host.run(program, ['version', '-json'], {
      ...terraformEnvironment('/dev/null'),
      signal: host.signal,
    });
    return versionSchema.parse(JSON.parse(stdout)).terraform_version;
  } catch (error) {
    // The stub of a version manager, or a broken installation: the next program is tried.
    if (error instanceof CommandError && error.failure === 'exit-code') {
      host.progress.note(`${program} does not work, looking further: ${error.tail.split('\n').at(-1) ?? ''}`);
      return undefined;
    }
    throw error;
  }
}

function openOwnSupply(host: ComponentHost): Supply {
  return openSupply(host, readComponents(host.projectDir));
}

/** Whether the provider is in the mirror; makes nothing. */
export function hasProvider({ cacheDir }: Pick<ComponentHost, 'cacheDir'>): boolean {
  const { folder, find } = mirroredProvider(cachePaths(cacheDir).providers);
  return find(join(folder, basename(PROVIDER_ADDRESS))) !== undefined;
}

/**
 * Puts the real provider into a mirror of ours, from the Terraform registry when it answers, else built from its Go
 * module, and writes a CLI configuration that takes exactly that provider from there and nothing from the network.
 *
 * @param supply of components; default: one of its own.
 */
export async function ensureProvider(
  host: ComponentHost,
  terraform: TerraformProgram,
  supply?: Supply,
): Promise<Provider> {
  const mirror = cachePaths(host.cacheDir).providers;
  const source = await ensureEntry(host, {
    kind: mirroredProvider(mirror),
    inputs: { provider: PROVIDER_ADDRESS, version: PROVIDER_VERSION },
    make: ({ work, out }) =>
      host.progress.step(`provider ${PROVIDER_ADDRESS} ${PROVIDER_VERSION}`, async (update) => {
        update('asking the Terraform registry');
        const reason = await mirrorFromRegistry(host, terraform, work, out);
        if (reason === undefined) return;
        update(`not from the registry (${reason}): building it from its Go module`);
        await mirrorFromModule(host, supply ?? openOwnSupply(host), out);
      }),
  });
  const cliConfig = join(mirror, 'terraform.rc');
  writeWhole(cliConfig, renderCliConfig(mirror));
  return { cliConfig, source };
}

/**
 * The provider in a mirror, where Terraform looks for it: a folder named by its address. So there is one at a time. A
 * provider of another release than the stack is written for counts as none.
 */
function mirroredProvider(mirror: string): EntryKind<Provider['source']> {
  const path = join(mirror, PROVIDER_ADDRESS);
  return {
    title: `provider ${PROVIDER_ADDRESS} ${PROVIDER_VERSION}`,
    folder: dirname(path),
    holds: (name) => name === basename(path),
    nameOf: () => basename(path),
    find: findMirrored,
    findInputs: () => undefined,
    usedFile: (folder) => folder,
  };
}

/** Renders the CLI configuration: one mirror for one provider, no direct installation. */
function renderCliConfig(mirror: string): string {
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

/** Makes the folder from the registry; returns why it did not give the provider, undefined when it did. */
async function mirrorFromRegistry(
  host: ComponentHost,
  terraform: TerraformProgram,
  work: string,
  out: string,
): Promise<string | undefined> {
  const [stack, mirror] = [join(work, 'stack'), join(work, 'mirror')];
  mkdirSync(stack);
  const required = { libvirt: { source: PROVIDER_ADDRESS, version: PROVIDER_VERSION } };
  writeFileSync(
    join(stack, 'main.tf.json'),
    JSON.stringify({ terraform: [{ required_providers: [required] }] }),
  );
  try {
    await host.run(terraform.program, ['providers', 'mirror', `-platform=${PLATFORM}`, mirror], {
      ...terraformEnvironment('/dev/null', {
        TF_REGISTRY_DISCOVERY_RETRY: '0',
        TF_REGISTRY_CLIENT_TIMEOUT: String(TIME_LIMITS.build.providerAnswer.ms / 1000),
      }),
      cwd: stack,
      signal: host.signal,
      timeoutMs: TIME_LIMITS.build.providerMirror.ms,
    });
  } catch (error) {
    if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
    return error.failure === 'timed-out' ? 'no answer in time' : 'it does not answer';
  }
  const mirrored = join(mirror, PROVIDER_ADDRESS);
  if (!readdirSync(mirrored).includes(PACKED)) return `it has no ${PACKED}`;
  renameSync(mirrored, out);
  return undefined;
}

async function mirrorFromModule(host: ComponentHost, supply: Supply, out: string): Promise<void> {
  const artifact = await supply({ name: 'provider-libvirt', version: PROVIDER_VERSION }, host.signal);
  const program = artifact.files[PROGRAM];
  if (program === undefined) {
    throw new HostError('LAB_PROVIDER_MISSING', `the component provider-libvirt has no program ${PROGRAM}`, {
      tryNext: 'correct components.yaml',
    });
  }
  const target = join(out, PROVIDER_VERSION, PLATFORM);
  mkdirSync(target, { recursive: true });
  copyFileSync(program, join(target, PROGRAM));
}
