import { closeSync, openSync, readFileSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../lab/model/errors/errors.ts';
import type { Host } from '../../lab/model/host/host.ts';
import type { BlankedBytes } from '../../lab/model/host/remote-cache.ts';
import { entryRecords } from '../../lab/model/host/paths.ts';
import { asItIs, type Arrival, type Parcel, type Sharing } from '../cache/sharing.ts';
import { findImageRecord, writeImageRecord } from './image-record.ts';

/** What of an image is sent as it is. Its client key, and the names of the labs that use it, stay. */
const PLAIN_FILES = ['vmlinuz', 'initrd.img'] as const;
const DISK = 'base.raw';

/** Files in the disk of an image that differ from one deployment to the next. */
const KEY_FILES = { host: '/etc/ssh/ssh_host_ed25519_key', client: '/root/.ssh/authorized_keys' } as const;

/** Where an ext4 file system says how large its blocks are: `s_log_block_size` of the superblock, little-endian. */
const BLOCK_SIZE_AT = 1024 + 24;

/** How an image is shared: without its keys. Who gets it makes new ones, and writes them where the old ones were. */
export const shareImage: Sharing = {
  name: 'image',
  pack: packImage,
  mayHold: (name) => [...PLAIN_FILES, DISK, entryRecords.image].includes(name),
  arrive: giveKeys,
};

async function packImage(host: Host, dir: string): Promise<Parcel | string> {
  const record = findImageRecord(dir);
  if (record === undefined) return 'its record cannot be read';
  const own = Object.entries(record.inputs).filter(([name, value]) => isOwnBuild(name, value));
  if (own.length > 0) return `it has a build of your own: ${own.map(([name]) => name).join(', ')}`;
  const disk = join(dir, DISK);
  const places = await findKeyFiles(host, disk);
  const keys = [places.host, places.client].map((place) => readPlace(disk, place));
  const described = Buffer.from(`${JSON.stringify({ ...record, hostKey: '' }, null, 2)}\n`);
  return {
    files: [
      { name: entryRecords.image, isProgram: false, from: described },
      ...PLAIN_FILES.map((name) => asItIs(join(dir, name))),
      { name: DISK, isProgram: false, from: disk, blanked: [places.host, places.client] },
    ],
    secrets: [...keys, readFileSync(join(dir, 'id_ed25519'))].flatMap(listKeyLines),
  };
}

/** A build of your own has a name that only you can look up, and may be nobody else's business. */
function isOwnBuild(name: string, value: string): boolean {
  return name === 'kernel' ? value.startsWith('file ') : name.startsWith('component ') && /(?:^|@)file:/.test(value);
}

/** The lines that make a key: any of them may have been copied elsewhere. Both kinds of key have one this long. */
function listKeyLines(key: Buffer): Buffer[] {
  const lines = key.toString('latin1').split(/[\n ]/);
  return lines.filter((line) => line.length >= 40).map((line) => Buffer.from(line, 'latin1'));
}

async function giveKeys(host: Host, { pulled, out, work }: Arrival): Promise<void> {
  const record = findImageRecord(pulled);
  if (record === undefined) throw noPlace(pulled, 'its record cannot be read');
  renameSync(pulled, out);
  const disk = join(out, DISK);
  const places = await findKeyFiles(host, disk);
  const [hostKey, clientKey] = [join(work, 'ssh_host_ed25519_key'), join(out, 'id_ed25519')];
  await makeKey(host, hostKey, 'whodunit-node');
  await makeKey(host, clientKey, 'whodunit');
  writePlace(disk, places.host, readFileSync(hostKey));
  writePlace(disk, places.client, readFileSync(`${clientKey}.pub`));
  const [type = '', text = ''] = readFileSync(`${hostKey}.pub`, 'utf8').split(' ');
  writeImageRecord(out, { ...record, hostKey: `${type} ${text}` });
}

/** As a bake makes them: with other comments they would have other lengths. */
async function makeKey(host: Host, path: string, comment: string): Promise<void> {
  await host.run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', path]);
}

/** Finds where the content of the key files is in a disk. Each is smaller than a block. */
async function findKeyFiles(host: Host, disk: string): Promise<Record<keyof typeof KEY_FILES, BlankedBytes>> {
  const blockBytes = 1024 << readBytesAt(disk, BLOCK_SIZE_AT, 4).readUInt32LE();
  const find = async (path: string): Promise<BlankedBytes> => {
    const ask = async (request: string): Promise<string> =>
      (await host.run('debugfs', ['-R', request, disk], { signal: host.signal })).stdout.trim();
    const [block, size] = [await ask(`blocks ${path}`), /\bSize: (\d+)/.exec(await ask(`stat ${path}`))?.[1]];
    const bytes = Number(size);
    if (!/^\d+$/.test(block) || size === undefined || bytes === 0 || bytes > blockBytes)
      throw noPlace(disk, `${path} is not one block of ${blockBytes} bytes`);
    return { offset: Number(block) * blockBytes, bytes };
  };
  return { host: await find(KEY_FILES.host), client: await find(KEY_FILES.client) };
}

function readPlace(disk: string, { offset, bytes }: BlankedBytes): Buffer {
  return readBytesAt(disk, offset, bytes);
}

function readBytesAt(path: string, offset: number, bytes: number): Buffer {
  const content = Buffer.alloc(bytes);
  const file = openSync(path, 'r');
  try {
    readSync(file, content, 0, bytes, offset);
  } finally {
    closeSync(file);
  }
  return content;
}

/** Replaces the content of a file in a disk. Keys of one kind and comment are all of one length. */
function writePlace(disk: string, { offset, bytes }: BlankedBytes, content: Buffer): void {
  if (content.length !== bytes) throw noPlace(disk, `a key has ${content.length} bytes instead of ${bytes}`);
  const file = openSync(disk, 'r+');
  try {
    writeSync(file, content, 0, bytes, offset);
  } finally {
    closeSync(file);
  }
}

function noPlace(path: string, lastSeen: string): HostError {
  return new HostError('LAB_IMAGE_INPUT', `the keys of ${path} cannot be exchanged`, {
    lastSeen,
    tryNext: 'bake the image on this host: `npx whodunit bake`',
  });
}
