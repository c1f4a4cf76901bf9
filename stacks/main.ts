/**
 * Entry for people who use the cdktf CLI (`cdktf synth`); the lab itself calls `synthWorld`.
 *
 * One stack for each world of the state folder, with the state that the lab uses: `cdktf diff <world>` of a world
 * that is up says that there are no changes. Without a world, the documented example below.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { App } from 'cdktf';
import { listEmptyVariables, type Environment } from '../lab/model/host/environment.ts';
import { UsageError } from '../lab/model/errors/errors.ts';
import { worldLibvirtName, worldStackSchema, type WorldStack } from '../lab/model/host/machine.ts';
import { statePaths } from '../lab/model/host/paths.ts';
import { LabStack } from './lab-stack.ts';
import { MACHINES_FILE, STATE_FILE } from './synth-world.ts';

const { WHODUNIT_HOME }: Environment = process.env;
if (listEmptyVariables(process.env).includes('WHODUNIT_HOME'))
  throw new UsageError('WHODUNIT_HOME is set, but empty');
const stateDir = resolve(WHODUNIT_HOME ?? '.lab');
const paths = statePaths(stateDir);
const app = new App();

const worlds = (existsSync(paths.worlds) ? readdirSync(paths.worlds) : []).filter((variant) =>
  existsSync(join(paths.world(variant).terraform, MACHINES_FILE)),
);
for (const variant of worlds) {
  const folder = paths.world(variant).terraform;
  const saved: unknown = JSON.parse(readFileSync(join(folder, MACHINES_FILE), 'utf8'));
  const world = worldStackSchema.parse(saved);
  new LabStack(app, variant.replaceAll(/[^A-Za-z0-9_-]/g, '-'), world, join(folder, STATE_FILE));
}
if (worlds.length === 0) {
  new LabStack(app, 'default', exampleWorld(), join(paths.world('default').terraform, STATE_FILE));
}
app.synth();

/** The default variant with example ports and an image that `whodunit bake` has yet to make. */
function exampleWorld(): WorldStack {
  const image = join(stateDir, 'cache', 'images', 'example');
  const world = paths.world('default');
  return {
    name: worldLibvirtName(stateDir, 'default'),
    providerUri: 'qemu:///system',
    accelerator: 'tcg',
    poolFolder: world.pool,
    uid: 0,
    gid: 0,
    nodes: [
      {
        name: 'node-1',
        memoryMiB: 4096,
        vcpus: 2,
        diskGiB: 8,
        base: join(image, 'base.raw'),
        kernel: join(image, 'vmlinuz'),
        initrd: join(image, 'initrd.img'),
        cmdline: ['root=/dev/vda', 'rw', 'console=ttyS0'],
        sshPort: 2222,
        apiPort: 6443,
        consoleLog: world.console('node-1'),
      },
    ],
  };
}
