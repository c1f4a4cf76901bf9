import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'cdktf';
import type { WorldStack } from '../lab/model/host/machine.ts';
import { LabStack } from './lab-stack.ts';

/** Name of the saved machine specs inside a world's Terraform folder. */
export const MACHINES_FILE = 'machines.json';

/** Name of the Terraform state inside a world's Terraform folder. */
export const STATE_FILE = 'terraform.tfstate';

/**
 * Writes the Terraform configuration of a world, and the machine specs it was made from.
 *
 * @param outDir the world's Terraform folder, absolute; the Terraform state will be in it.
 * @returns the folder to run Terraform in (it holds `cdk.tf.json`).
 */
export function synthWorld(world: WorldStack, outDir: string): string {
  mkdirSync(outDir, { recursive: true });
  writeFileSync(join(outDir, MACHINES_FILE), `${JSON.stringify(world, undefined, 2)}\n`);
  const app = new App({ outdir: outDir });
  new LabStack(app, 'world', world, join(outDir, STATE_FILE));
  app.synth();
  return join(outDir, 'stacks', 'world');
}
