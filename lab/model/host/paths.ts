import { join, relative, sep } from 'node:path';
import { cellFolder } from './cell-address.ts';

/** Where things are in the state folder and the cache; `docs/run-folder.md` explains each. */

/** Files of the state folder `.lab/` (or $WHODUNIT_HOME). */
export const statePaths = (stateDir: string) => ({
  leases: join(stateDir, 'leases.jsonl'),
  lock: join(stateDir, 'lab.lock'),
  worlds: join(stateDir, 'worlds'),
  runs: join(stateDir, 'runs'),
  /** Searches of `whodunit bisect` and `whodunit difference`. */
  searches: join(stateDir, 'searches'),
  /** A folder for each registry that runs for a cell. */
  registries: join(stateDir, 'registries'),
  /** The lab itself, as bin/program.mjs has written it, where this is the folder of a clone. */
  program: join(stateDir, 'program'),
  timings: join(stateDir, 'timings.jsonl'),
  /** Digests of downloads as they were first seen. */
  firstUse: join(stateDir, 'components.lock.yaml'),
  /** A file for each component that no source had when it was last asked for. */
  notHad: join(stateDir, 'not-had'),
  /** An index of the saved runs. */
  history: join(stateDir, 'history.jsonl'),
  /** What a scenario said, by its digest. */
  scenario: (digest: string) => join(stateDir, 'scenarios', `${digest}.json`),
  world: (variant: string) => worldPaths(join(stateDir, 'worlds', variant)),
  run: (id: string) => runPaths(join(stateDir, 'runs', id)),
  search: (id: string) => ({
    /** What is asked, and every run since. */
    bisect: join(stateDir, 'searches', id, 'bisect.jsonl'),
    difference: join(stateDir, 'searches', id, 'difference.jsonl'),
    html: join(stateDir, 'searches', id, 'report.html'),
  }),
});

/** Files of `worlds/<variant>/`. */
const worldPaths = (dir: string) => ({
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
  /** What the run was about to do. */
  plan: join(dir, 'plan.json'),
  /** The Markdown that `whodunit repro` printed. */
  repro: join(dir, 'repro.md'),
  /** The Markdown that `whodunit prove` printed. */
  prove: join(dir, 'prove.md'),
  /** The same as data. */
  proved: join(dir, 'prove.json'),
  /** Which shard of which plan the run is; only of such a run. */
  shard: join(dir, 'shard.json'),
  /** The runs that a merged one is made of; only of such a run. */
  merged: join(dir, 'merged.json'),
  cell: (address: string) => cellPaths(join(dir, 'cells', cellFolder(address))),
  /** The paths of a folder as a result names it, relative to the run folder: a cell, or one of its runs. */
  inRun: (evidence: string) => cellPaths(join(dir, evidence)),
  cellRelative: (address: string) => join('cells', cellFolder(address)),
});

/**
 * Files of `runs/<id>/cells/<variant>/<scenario>/` (or `<scenario>,<name>=<value>/`). Evidence files are in
 * lab/model/evidence/evidence-files.ts.
 */
export const cellPaths = (dir: string) => ({
  dir,
  /** What the oracle read back of its world. */
  effective: join(dir, 'effective.json'),
  /** What the cell was made of. */
  origin: join(dir, 'origin.json'),
  record: join(dir, 'cell.json'),
  result: join(dir, 'result.json'),
});

/** Folders of the cache. */
export const cachePaths = (cacheDir: string) => ({
  components: join(cacheDir, 'components'),
  rootfs: join(cacheDir, 'rootfs'),
  /** containerd's stores with the control plane's images. Base images with the same ones share a store. */
  stores: join(cacheDir, 'stores'),
  images: join(cacheDir, 'images'),
  toolchains: join(cacheDir, 'toolchains'),
  providers: join(cacheDir, 'providers'),
  /** Parts of entries that are on their way from or to the remote cache. */
  transfers: join(cacheDir, 'transfers'),
});

/** Files that labs lock to keep apart: who makes an entry of the cache, and who uses it. They stay. */
export const entryLockPaths = (cacheDir: string, entry: string) => {
  const name = relative(cacheDir, entry).replaceAll(sep, '+');
  return { make: join(cacheDir, 'locks', `${name}.make`), use: join(cacheDir, 'locks', `${name}.use`) };
};

/** Names of the record in an entry of the cache, which has its inputs. */
export const entryRecords = {
  component: 'component.json',
  store: 'store.json',
  image: 'image.json',
} as const;

/** Files next to a tar of the cache: its inputs, and the output of its maker. */
export const tarCompanions = (tar: string) => ({ record: `${tar}.json`, log: `${tar}.log` });

/** Name of a folder in which a process makes an entry of the cache; it has the pid of that process. */
export const unfinishedName = (pid: number, id: string) => `.building-${pid}-${id}`;

/** How names of temporary folders of a process begin, in the folder for temporary files. */
export const temporaryPrefix = (pid: number) => `whodunit-tmp-${pid}-`;

/** Finds the process that made, or makes, a temporary folder of this name; undefined when it is none of ours. */
export function findTemporaryMaker(name: string): number | undefined {
  const pid = /^whodunit-tmp-(\d+)-/.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** `bake` and `registry` are what older versions named some of theirs; a file that is written bears `.<pid>.tmp`. */
const UNFINISHED = [/^\.(?:building|bake|registry)-(\d+)(?:-|$)/, /\.(\d+)\.tmp$/];

/** Finds the process that makes, or made, what has an unfinished name. */
export function findMaker(name: string): number | undefined {
  const pid = UNFINISHED.map((pattern) => pattern.exec(name)?.[1]).find((match) => match !== undefined);
  return pid === undefined ? undefined : Number(pid);
}
