import { App, Testing } from 'cdktf';
import { XMLParser } from 'fast-xml-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  libvirtPrefix,
  worldLibvirtName,
  type MachineSpec,
  type WorldStack,
} from '../../../lab/model/host/machine.ts';
import { planNetworkArguments, renderDomainStylesheet } from '../../../stacks/libvirt/domain-stylesheet.ts';
import { planKernelCommandLine } from '../../../stacks/libvirt/kernel-command-line.ts';
import { LabStack } from '../../../stacks/lab-stack.ts';
import { literal } from '../../../stacks/libvirt/literal.ts';
import { renderOverlayStylesheet } from '../../../stacks/libvirt/volume-stylesheet.ts';

const machine: MachineSpec = {
  name: 'node-1',
  memoryMiB: 64,
  vcpus: 1,
  diskGiB: 1,
  base: '/base.raw',
  kernel: '/vmlinuz',
  initrd: '/initrd.img',
  cmdline: [],
  sshPort: 2222,
  consoleLog: '/console.log',
};
const world: WorldStack = {
  name: 'whodunit-00000000-default',
  providerUri: 'qemu:///system',
  accelerator: 'tcg',
  poolFolder: '/pool',
  uid: 7,
  gid: 8,
  nodes: [machine],
};

/** What provider 0.8.3 makes of `cmdline` (setCmdlineArgs) and reads back from libvirt (splitKernelCmdLine). */
function passThroughProvider(maps: readonly Record<string, string>[]): Record<string, string>[] {
  const words = maps.flatMap((map) =>
    Object.entries(map).map(([key, value]) => (key === '_' ? value : `${key}=${value}`)),
  );
  const read: Record<string, string>[] = [];
  const keyless: string[] = [];
  let current: Record<string, string> = {};
  for (const word of words.sort().join(' ').split(' ')) {
    const [key = '', ...rest] = word.split('=');
    if (rest.length === 0) keyless.push(word);
    else {
      if (key in current) {
        read.push(current);
        current = {};
      }
      current[key] = rest.join('=');
    }
  }
  if (Object.keys(current).length > 0) read.push(current);
  if (keyless.length > 0) read.push({ _: keyless.join(' ') });
  return read;
}

describe('the kernel command line', () => {
  it('is given in the grouping that the provider reads back', () => {
    const words = ['rw', 'root=/dev/vda', 'console=tty0', 'console=ttyS0', 'quiet', 'a=b=c'];
    expect(planKernelCommandLine(words)).toEqual([
      { a: 'b=c', console: 'tty0' },
      { console: 'ttyS0', root: '/dev/vda' },
      { _: 'rw quiet' },
    ]);
  });

  it('never differs from what the provider reads back, whatever the words', () => {
    const key = fc.stringMatching(/^[a-z][a-z._]{0,3}$/);
    const word = fc.oneof(
      key,
      fc.tuple(key, fc.stringMatching(/^[A-Za-z0-9=,:/]{0,4}$/)).map((pair) => pair.join('=')),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
        const sorted = [...words].sort();
        const maps = planKernelCommandLine(sorted);
        expect(passThroughProvider(maps)).toEqual(maps);
      }),
    );
  });

  it('is refused when sorting would change what it means', () => {
    expect(() => planKernelCommandLine(['console=ttyS0', 'console=tty0'])).toThrow(/must stay before/);
    expect(() => planKernelCommandLine(['root=/dev/vda', '--', 'single'])).toThrow(/sorted before/);
    expect(() => planKernelCommandLine(['dyndbg="file a +p"'])).toThrow(/not one word/);
  });
});

describe('the domain stylesheet', () => {
  const parse = (xml: string): unknown => new XMLParser({ ignoreAttributes: false }).parse(xml) as unknown;

  it('keeps a path that is full of markup and expressions what it is', () => {
    const path = `/a"b'<c>&{d}`;
    const sheet = renderDomainStylesheet(world, { ...machine, consoleLog: path });
    expect(() => parse(sheet)).not.toThrow();
    expect(sheet).toContain('path="/a&quot;b\'&lt;c&gt;&amp;{{d}}"');
    expect(renderOverlayStylesheet('/<b>&{d}')).toContain('<path>/&lt;b&gt;&amp;{d}</path>');
  });

  it('labels QEMU with our user for the system daemon, and not for a session', () => {
    expect(renderDomainStylesheet(world, machine)).toContain('<label>+7:+8</label>');
    const session = { ...world, providerUri: 'qemu:///session?socket=/run/user/7/libvirt/libvirt-sock' };
    expect(renderDomainStylesheet(session, machine)).not.toContain('seclabel');
  });

  it('tunes emulation only where there is emulation', () => {
    const emulated = renderDomainStylesheet(world, machine);
    const virtualised = renderDomainStylesheet({ ...world, accelerator: 'kvm' }, machine);
    for (const word of ['tb-cache', 'name="erms"', 'name="fsrm"']) {
      expect(emulated).toContain(word);
      expect(virtualised).not.toContain(word);
    }
  });
});

describe('the network of a machine', () => {
  it('has no way out and forwards from loopback alone', () => {
    const [, netdev] = planNetworkArguments({ ...machine, apiPort: 6444 });
    expect(netdev).toBe(
      'user,id=n0,restrict=on,ipv6=off,hostfwd=tcp:127.0.0.1:2222-:22,hostfwd=tcp:127.0.0.1:6444-:6443',
    );
  });

  it('forwards no API where there is none', () => {
    expect(planNetworkArguments(machine).join(' ')).not.toContain('6443');
  });
});

describe('text for Terraform', () => {
  it('is never taken for a template', () => {
    expect(literal('a${b}%{c}$$${d} 5% {e}')).toBe('a$${b}%%{c}$$$${d} 5% {e}');
  });
});

describe('libvirt names', () => {
  it('stay unique where a character had to go, and say the variant where none had to', () => {
    const names = ['a+b', 'a@b', 'a:b', 'a-b', 'a_b', `${'x'.repeat(60)}1`, `${'x'.repeat(60)}2`].map(
      (variant) => worldLibvirtName('/state', variant),
    );
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^whodunit-[0-9a-f]{8}-[A-Za-z0-9.-]{1,47}$/);
    expect(names[3]).toBe(`${libvirtPrefix('/state')}a-b`);
  });

  it('differ between two state folders', () => {
    expect(worldLibvirtName('/one', 'default')).not.toBe(worldLibvirtName('/two', 'default'));
  });
});

describe('the stack of a world', () => {
  const synthesised = JSON.parse(Testing.synth(new LabStack(new App(), 'world', world, '/state'))) as {
    readonly terraform: Readonly<Record<string, unknown>>;
  };

  it('says which Terraform it is for', () => {
    expect(synthesised.terraform['required_version']).toBe('>= 1.5');
  });
});
