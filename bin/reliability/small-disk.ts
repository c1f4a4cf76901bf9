import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A file system of its own, which can be made full or read-only at once. Only root can have one. */
export interface SmallDisk {
  /** Where it is mounted. */
  readonly folder: string;
  /** Takes all that is free. */
  fill(): void;
  /** Lets the kernel find an error in it, which makes it read-only. */
  damage(): void;
  /** Gives back what `fill` took, and repairs what `damage` did. */
  relieve(): void;
  unmount(): void;
}

/** A file system of its own on which no file can have a second name. */
export interface LinklessDisk {
  /** Where it is mounted. */
  readonly folder: string;
  unmount(): void;
}

/** A lab asks for 8 GiB before it starts; of these nothing is used. */
const SIZE = '12G';
/** What fallocate(1) needs for its own records. */
const SPARE_BYTES = 32 * 1024 * 1024;

/** For tools of this host, whatever a rehearsal has put in their place. */
const ENV = { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } };

function run(name: string, ...args: string[]): string {
  return execFileSync(name, args, { ...ENV, encoding: 'utf8' });
}

/** Makes an ext4 in a file without content and mounts it below a folder. */
export function mountSmallDisk(folder: string): SmallDisk {
  const [image, mounted] = [join(folder, 'small.ext4'), join(folder, 'small')];
  const mount = (): void => void run('mount', '-o', 'loop,errors=remount-ro', image, mounted);
  mkdirSync(mounted);
  run('truncate', '--size', SIZE, image);
  run('mkfs.ext4', '-q', '-m', '0', image);
  mount();
  const [filler, rest] = [join(mounted, 'filler'), join(mounted, 'rest')];
  let isDamaged = false;
  return {
    folder: mounted,
    fill: () => {
      const { bavail, bsize } = statfsSync(mounted);
      run('fallocate', '--length', String(bavail * bsize - SPARE_BYTES), filler);
      // It ends when the disk is full.
      spawnSync('dd', ['if=/dev/zero', `of=${rest}`, 'bs=4k'], { ...ENV, stdio: 'ignore' });
    },
    damage: () => {
      isDamaged = true;
      const device = run('findmnt', '-no', 'SOURCE', mounted).trim();
      writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, 'staged');
    },
    relieve: () => {
      if (isDamaged) {
        run('umount', mounted);
        // 1: errors were found and repaired.
        spawnSync('e2fsck', ['-f', '-y', image], { ...ENV, stdio: 'ignore' });
        mount();
        isDamaged = false;
      }
      for (const path of [filler, rest]) rmSync(path, { force: true });
    },
    unmount: () => {
      run('umount', mounted);
      rmSync(image);
    },
  };
}

/**
 * Makes an exFAT in a file without content and mounts it below a folder, by the programs of the Debian packages
 * `exfatprogs` and `exfat-fuse`.
 */
export function mountLinklessDisk(folder: string): LinklessDisk {
  const [image, mounted] = [join(folder, 'linkless.exfat'), join(folder, 'linkless')];
  mkdirSync(mounted);
  run('truncate', '--size', SIZE, image);
  run('mkfs.exfat', image);
  const device = run('losetup', '--find', '--show', image).trim();
  run('mount.exfat-fuse', device, mounted);
  return {
    folder: mounted,
    unmount: () => {
      run('umount', mounted);
      run('losetup', '--detach', device);
      rmSync(image);
    },
  };
}
