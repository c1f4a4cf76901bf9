import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { reserveGroupPort } from '../../../../lab/drivers/claims/ports.ts';
import {
  lanGroup,
  machineId,
  nodeMac,
  worldLibvirtName,
  type MachineSpec,
} from '../../../../lab/model/host/machine.ts';
import { planNodes } from '../../../../lab/world/recipe/plan-nodes.ts';
import { lanIdentity, lanMachine, reserveLan } from '../../../../lab/world/steps/lan.ts';
import { loadReady, saveReady } from '../../../../lab/world/restore/snapshots.ts';
import { CONFLIST_PATH, renderLanUnit, renderNodeConflist } from '../../../../provision/guest/lan.ts';
import { parseJoinCommand, renderJoinConfig } from '../../../../provision/kubeadm/join.ts';
import { planNetworkArguments } from '../../../../stacks/libvirt/domain-stylesheet.ts';

const size = { memoryMiB: 3072, vcpus: 2, diskGiB: 8 };
const HOST = { stateDir: '/state' };
const WORLD = 'whodunit-00000000-1-1';

describe('the nodes of a world', () => {
  it('are one control plane, alone on the user-mode network', () => {
    expect(planNodes({ workers: 0 }, size)).toEqual([
      { name: 'node-1', role: 'control-plane', ...size, address: '10.0.2.15', podSubnet: '10.244.0.0/24' },
    ]);
  });

  it('are a control plane and workers, each with its own address and pod subnet', () => {
    const nodes = planNodes({ workers: 9 }, size);
    expect(nodes.map((node) => node.role)).toEqual(['control-plane', ...Array<string>(9).fill('worker')]);
    expect(new Set(nodes.map((node) => node.address)).size).toBe(10);
    expect(nodes[9]).toMatchObject({ name: 'node-10', address: '10.99.0.10', podSubnet: '10.244.9.0/24' });
  });

  it('have machine ids and MAC addresses that no other node and no other world has', () => {
    const all = [WORLD, 'whodunit-00000000-other'].flatMap((world) =>
      planNodes({ workers: 9 }, size).flatMap(({ name }, index) => [
        machineId(world, name),
        nodeMac(world, index, 1),
        nodeMac(world, index, 2),
      ]),
    );
    expect(new Set(all).size).toBe(all.length);
    for (const id of all) expect(id).toMatch(/^([0-9a-f]{32}|52:54:0[12](:[0-9a-f]{2}){3})$/);
  });

  it('change nothing in a machine that is alone', () => {
    expect(lanMachine(HOST, { name: '1+1' }, { name: 'node-1', index: 0 })).toEqual({ cmdline: [] });
  });

  it('keep their addresses and machine ids in a world that is derived: these are in the saved memory', async () => {
    const parent = { name: '1+1', lan: await reserveLan('whodunit-1', 'whodunit-1', 2) };
    const identity = lanIdentity(HOST, parent);
    const child = { name: '1+1_qps-5', lan: await reserveLan('whodunit-2', identity, 2) };
    const node = { name: 'node-2', index: 1 };
    expect(lanMachine(HOST, child, node)).toEqual(lanMachine(HOST, parent, node));
    expect(child.lan?.group).not.toBe(parent.lan?.group);
    // Records of before have no identity.
    const { group, port } = parent.lan!;
    const old = { name: '1+1', lan: { group, port } };
    expect(lanMachine(HOST, old, node).mac).toBe(nodeMac(worldLibvirtName('/state', '1+1'), 1, 1));
  });
});

describe('the network between nodes', () => {
  const machine = { sshPort: 2222, lanMac: nodeMac(WORLD, 1, 2) } as MachineSpec;

  it('is a multicast group of the world on loopback, on a second card', () => {
    const group = lanGroup(WORLD);
    const words = planNetworkArguments(machine, { group, port: 4711 });
    expect(words).toContain(`socket,id=n1,mcast=${group}:4711,localaddr=127.0.0.1`);
    expect(words.at(-1)).toBe(`virtio-net-pci,netdev=n1,addr=0x11,mac=${nodeMac(WORLD, 1, 2)}`);
    expect(planNetworkArguments(machine)).toHaveLength(4);
  });

  it('differs from that of every other world', () => {
    expect(lanGroup(WORLD)).toMatch(/^239(\.\d{1,3}){3}$/);
    expect(lanGroup(WORLD)).not.toBe(lanGroup('whodunit-11111111-1-1'));
  });

  it('gets a port that nobody else in the group has', async () => {
    const ports = await Promise.all(Array.from({ length: 8 }, () => reserveGroupPort(lanGroup(WORLD))));
    for (const port of ports) expect(port).toBeGreaterThan(1023);
  });

  it('has a route to the pods of each other node', () => {
    const [first, second, third] = planNodes({ workers: 2 }, size);
    if (first === undefined || second === undefined || third === undefined) throw new Error('three nodes');
    expect(renderLanUnit(second, '52:54:02:00:00:02', [first, third])).toBe(`\
# The network between the nodes, and the way to the pods of each other node.
[Match]
MACAddress=52:54:02:00:00:02

[Network]
Address=10.99.0.2/24
LinkLocalAddressing=no
IPv6AcceptRA=no

[Route]
Destination=10.244.0.0/24
Gateway=10.99.0.1

[Route]
Destination=10.244.2.0/24
Gateway=10.99.0.3
`);
  });

  it("gives a node's pods its own subnet and keeps their addresses, from the image's own pod network", () => {
    const baked = readFileSync(join('provision/guest/files', CONFLIST_PATH), 'utf8');
    const own = JSON.parse(renderNodeConflist(baked, '10.244.3.0/24')) as { plugins: { type: string }[] };
    expect(own.plugins.map((plugin) => plugin.type)).toEqual(['bridge', 'portmap']);
    expect(own.plugins[0]).toMatchObject({
      bridge: 'cni0',
      isGateway: true,
      ipMasq: false,
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.244.3.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] },
    });
  });
});

describe('joining', () => {
  const hash = `sha256:${'0f'.repeat(32)}`;
  const ticket = { endpoint: '10.99.0.1:6443', token: 'abcdef.0123456789abcdef', caCertHash: hash };

  it('reads the command that kubeadm prints, in one line or in several', () => {
    const printed = (gap: string): string =>
      `kubeadm join 10.99.0.1:6443 --token abcdef.0123456789abcdef ${gap}--discovery-token-ca-cert-hash ${hash} \n`;
    expect(parseJoinCommand(printed(''))).toEqual(ticket);
    expect(parseJoinCommand(`W1121 something old\n${printed('\\\n\t')}`)).toEqual(ticket);
  });

  it('says what kubeadm printed when that is no join command', () => {
    expect(() => parseJoinCommand('error: timed out')).toThrow('error: timed out');
    expect(() => parseJoinCommand('kubeadm join a:1 --token abcdef.0123456789abcdef --x')).toThrow();
  });

  it.each(['1.22.17', '1.30.14'])(
    'is written for kubeadm %s as v1beta3, arguments as a map',
    (kubernetes) => {
      const config = parse(
        renderJoinConfig({ kubernetes, nodeName: 'node-2', nodeAddress: '10.99.0.2', ticket }),
      ) as object;
      expect(config).toMatchObject({
        apiVersion: 'kubeadm.k8s.io/v1beta3',
        discovery: {
          bootstrapToken: { apiServerEndpoint: '10.99.0.1:6443', caCertHashes: [hash] },
          timeout: '5m0s',
        },
        nodeRegistration: { name: 'node-2', kubeletExtraArgs: { 'node-ip': '10.99.0.2' } },
      });
      expect(config).not.toHaveProperty('timeouts');
    },
  );

  it('is written for newer releases as v1beta4, arguments as a list', () => {
    const config = parse(
      renderJoinConfig({ kubernetes: '1.34.2', nodeName: 'node-2', nodeAddress: '10.99.0.2', ticket }),
    ) as { nodeRegistration: { kubeletExtraArgs: unknown[] }; discovery: object };
    expect(config).toMatchObject({ apiVersion: 'kubeadm.k8s.io/v1beta4', timeouts: { discovery: '5m0s' } });
    expect(config.nodeRegistration.kubeletExtraArgs).toContainEqual({ name: 'node-ip', value: '10.99.0.2' });
    expect(config.discovery).not.toHaveProperty('timeout');
  });
});

describe('saving and loading a world of several machines', () => {
  /** Machines that remember what was asked of them; `failing` refuses to be saved. */
  function machines(states: Record<string, 'running' | 'paused' | 'shut off'>, failing?: string) {
    const calls: string[] = [];
    const log = (verb: string) => (domain: string) => {
      calls.push(`${verb} ${domain}`);
      return Promise.resolve();
    };
    return {
      calls,
      domainState: (domain: string) => Promise.resolve(states[domain]),
      suspend: log('suspend'),
      resume: log('resume'),
      startSuspended: (domain: string) => {
        states[domain] = 'paused';
        return log('start')(domain);
      },
      createSnapshot: (domain: string) =>
        domain === failing ? Promise.reject(new Error('disk full')) : log('save')(domain),
      loadSnapshotInPlace: log('load'),
      limitReads: (domain: string, reads: number) => log(`limit to ${reads}`)(domain),
    };
  }

  it('saves all while all stand still', async () => {
    const lib = machines({});
    await saveReady(lib, ['a', 'b']);
    expect(lib.calls).toEqual(['suspend a', 'suspend b', 'save a', 'save b', 'resume a', 'resume b']);
  });

  it('leaves nothing frozen when one cannot be saved', async () => {
    const lib = machines({}, 'b');
    await expect(saveReady(lib, ['a', 'b'])).rejects.toThrow('disk full');
    expect(lib.calls.slice(-2)).toEqual(['resume a', 'resume b']);
  });

  it('lets nobody go on before the last one is back, whatever state each was in', async () => {
    const lib = machines({ a: 'running', b: 'shut off', c: 'paused' });
    await loadReady(lib, ['a', 'b', 'c']);
    expect(lib.calls).toEqual([
      'limit to 0 a',
      'start b',
      'limit to 0 c',
      'suspend a',
      'load a',
      'load b',
      'load c',
      'resume a',
      'resume b',
      'resume c',
    ]);
  });

  it('lets a machine run on that waits for no other', async () => {
    const running = machines({ a: 'running' });
    await loadReady(running, ['a']);
    expect(running.calls).toEqual(['limit to 0 a', 'load a']);
    const off = machines({ a: 'shut off' });
    await loadReady(off, ['a']);
    await saveReady(off, ['a']);
    expect(off.calls).toEqual(['start a', 'load a', 'resume a', 'save a']);
  });
});
