import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandError } from '../../../../lab/model/errors/errors.ts';
import type { RunCommand } from '../../../../lab/model/host/host.ts';
import { ensureGo } from '../../../../provision/components/go.ts';
import type { ComponentHost } from '../../../../provision/components/source.ts';
import { createQuietHost } from '../../../quiet-host.ts';
import {
  ensureProvider,
  ensureTerraform,
  PROVIDER_ADDRESS,
} from '../../../../provision/components/terraform.ts';
import { PROJECT } from '../../project-files.ts';

let folder: string;

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'sources-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const noPrograms: RunCommand = (program) =>
  Promise.reject(new CommandError({ command: program, failure: 'not-found', tail: '' }));

const makeHost = (run: RunCommand = noPrograms): ComponentHost =>
  createQuietHost(folder, { run, projectDir: PROJECT });

const answer = (stdout: string) => ({ status: 0, stdout, stderr: '' });

describe('Go', () => {
  it('is the first one new enough on the path', async () => {
    const [old, good] = ['/old/go', '/good/go'];
    const run: RunCommand = async (program) =>
      answer(`go version go${program === old ? '1.19.8' : '1.22.1'} linux/amd64\n`);
    const go = await ensureGo(makeHost(run), [old, good]);
    expect(go).toEqual({ program: good, version: '1.22.1' });
  });

  it('exchanges an old one for the pinned toolchain, executable, without touching the module cache', async () => {
    const old = '/old/go';
    const module = join(folder, 'module');
    for (const part of ['bin', 'pkg/tool/linux_amd64', 'src/cmd'])
      mkdirSync(join(module, part), { recursive: true });
    for (const file of ['bin/go', 'pkg/tool/linux_amd64/compile'])
      writeFileSync(join(module, file), '', { mode: 0o444 });
    for (const file of ['src/_go.mod', 'src/cmd/_go.mod'])
      writeFileSync(join(module, file), 'module std\n', { mode: 0o444 });
    const run: RunCommand = async (program, args) => {
      if (args[0] === 'mod') return answer(JSON.stringify({ Dir: module }));
      return answer(`go version go${program === old ? '1.19.8' : '1.26.8'} linux/amd64\n`);
    };
    const go = await ensureGo(makeHost(run), [old]);
    const root = join(folder, 'cache', 'toolchains', 'go1.26.8');
    expect(go).toEqual({ program: join(root, 'bin', 'go'), version: '1.26.8' });
    for (const file of ['bin/go', 'pkg/tool/linux_amd64/compile'])
      expect(statSync(join(root, file)).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(root, 'src', 'cmd', 'go.mod'), 'utf8')).toBe('module std\n');
    expect(statSync(join(module, 'bin', 'go')).mode & 0o777).toBe(0o444);
    expect(readdirSync(join(root, '..'))).toEqual(['go1.26.8']);
    rmSync(module, { recursive: true });
    expect(await ensureGo(makeHost(run), [old])).toEqual(go);
  });

  it('leaves nothing behind when the toolchain cannot be had', async () => {
    const run: RunCommand = async (_program, args) => {
      if (args[0] === 'mod') throw new Error('no network');
      return answer('go version go1.19.8 linux/amd64\n');
    };
    await expect(ensureGo(makeHost(run), ['/old/go'])).rejects.toThrow('no network');
    expect(readdirSync(join(folder, 'cache', 'toolchains'))).toEqual([]);
  });

  it('says which package to install when there is none', async () => {
    await expect(ensureGo(makeHost(), [])).rejects.toMatchObject({
      code: 'LAB_GO_MISSING',
      tryNext: expect.stringContaining('golang-go') as string,
    });
  });
});

describe('Terraform and its provider', () => {
  it('skips a Terraform that is too old and one that does not work', async () => {
    const [old, broken, tofu] = ['/old/terraform', '/broken/terraform', '/usr/bin/tofu'];
    const run: RunCommand = async (program, args) => {
      if (program === 'which') return answer(args[1] === 'tofu' ? `${tofu}\n` : `${old}\n${broken}\n`);
      if (program === broken)
        throw new CommandError({ command: program, failure: 'exit-code', status: 1, tail: 'no' });
      return answer(JSON.stringify({ terraform_version: program === old ? '1.4.6' : '1.10.6' }));
    };
    const found = await ensureTerraform(makeHost(run));
    expect(found).toEqual({ program: tofu, kind: 'tofu', version: '1.10.6' });
  });

  it('takes the provider from the registry when it answers, and asks it only once', async () => {
    let asked = 0;
    const run: RunCommand = async (_program, args) => {
      asked++;
      const target = join(args.at(-1) ?? '', PROVIDER_ADDRESS);
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, 'terraform-provider-libvirt_0.8.3_linux_amd64.zip'), 'zip');
      return answer('');
    };
    const terraform = { program: '/bin/terraform', kind: 'terraform', version: '1.11.4' } as const;
    const provider = await ensureProvider(makeHost(run), terraform);
    expect(provider.source).toBe('registry');
    expect(await ensureProvider(makeHost(run), terraform)).toEqual(provider);
    expect(asked).toBe(1);
    const config = readFileSync(provider.cliConfig, 'utf8');
    expect(config).toContain(`include = ["${PROVIDER_ADDRESS}"]`);
    expect(config).not.toContain('direct');
    const mirror = join(folder, 'cache', 'providers');
    expect(readdirSync(mirror).sort()).toEqual(['registry.terraform.io', 'terraform.rc']);
    expect(readdirSync(join(mirror, PROVIDER_ADDRESS, '..'))).toEqual(['libvirt']);
  });
});
