import { join } from 'node:path';
import { cellFolder } from './cell-address.ts';

/** Where things lie in the state folder and the cache; `docs/run-folder.md` explains each. */

/** Files of the state folder `.lab/` (or $WHODUNIT_HOME). */
export const statePaths = (stateDir: string) => ({
  leases: join(stateDir, 'leases.jsonl'),
  lock: join(stateDir, 'lab.lock'),
  worlds: join(stateDir, 'worlds'),
  runs: join(stateDir, 'runs'),
  timings: join(stateDir, 'timings.jsonl'),
  world: (variant: string) => worldPaths(join(stateDir, 'worlds', variant)),
  run: (id: string) => runPaths(join(stateDir, 'runs', id)),
});

/** Files of `worlds/<variant>/`. */
export const worldPaths = (dir: string) => ({
  dir,
  record: join(dir, 'world.json'),
  terraform: join(dir, 'terraform'),
  /** Where Terraform runs: cdktf writes one folder per stack. */
  terraformStack: join(dir, 'terraform', 'stacks', 'world'),
  terraformState: join(dir, 'terraform', 'terraform.tfstate'),
  pool: join(dir, 'pool'),
  kubeconfig: join(dir, 'kubeconfig'),
  log: join(dir, 'world.log'),
  console: (node: string) => join(dir, `${node}.console.log`),
});

/** Files of `runs/<id>/`. */
export const runPaths = (dir: string) => ({
  dir,
  result: join(dir, 'result.json'),
  events: join(dir, 'events.jsonl'),
  junit: join(dir, 'junit.xml'),
  html: join(dir, 'report.html'),
  /** Of `lab repro`: what it printed as Markdown. */
  repro: join(dir, 'repro.md'),
  cell: (address: string) => cellPaths(join(dir, 'cells', cellFolder(address))),
  cellRelative: (address: string) => join('cells', cellFolder(address)),
});

/** Files of `runs/<id>/cells/<variant>/<scenario>/` (or `<scenario>,<name>=<value>/`). Evidence files are in model/observation.ts. */
export const cellPaths = (dir: string) => ({
  dir,
  /** What its world was found to be. */
  effective: join(dir, 'effective.json'),
  record: join(dir, 'cell.json'),
  result: join(dir, 'result.json'),
});

/** Folders of the cache. */
export const cachePaths = (cacheDir: string) => ({
  components: join(cacheDir, 'components'),
  rootfs: join(cacheDir, 'rootfs'),
  /** containerd's stores with the control plane's images in them, shared by the images that use the same ones. */
  stores: join(cacheDir, 'stores'),
  images: join(cacheDir, 'images'),
  toolchains: join(cacheDir, 'toolchains'),
  providers: join(cacheDir, 'providers'),
});
