import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import {
  getComponent,
  isInRange,
  type Components,
  type ComponentSourceOf,
} from '../../lab/model/components/components.ts';
import { parseLocalBuild, recordCheckout } from '../../lab/model/components/local-build.ts';
import { CommandError, InternalError, UsageError } from '../../lab/model/errors/errors.ts';
import type { CommandOptions, Host } from '../../lab/model/host/host.ts';
import { workDir } from '../../lab/model/host/project-folders.ts';
import { checkModule } from './checkout-module.ts';
import { runGoBuild } from './go-build.ts';
import { describeCompiler, joinPackages, readGoMod } from './gomod.ts';
import { ensureHostPackages } from './host-packages.ts';
import { chooseGo, planInputs, type EntryInputs } from './inputs.ts';
import { nameGo } from './named-go.ts';
import type { BuildContext, SourceResult } from './source.ts';

/** A checkout as it is at this moment. What is changed later is not in its tree. */
interface Checkout {
  readonly inputs: EntryInputs;
  /** How its programs are built: the source of the inputs, filled in for the release. */
  readonly source: ComponentSourceOf<'gomod'>;
  /** Id of the git tree that is built. */
  readonly tree: string;
  /** The commit that it is, or that its changes are over; undefined where there is no commit yet. */
  readonly commit?: string;
  /** Puts the files of the tree into a folder. */
  readonly unpack: (folder: string) => Promise<void>;
}

/** What is asked of a checkout. */
interface Wanted {
  readonly components: Components;
  /** Name of the component. */
  readonly name: string;
  /** `git:<folder>`, with a release in front of it or a ref behind it. */
  readonly version: string;
  /** The programs that a local build of the component is. */
  readonly programs: readonly string[];
}

/** Runs git in the folder of the checkout. */
type Git = (words: readonly string[], options?: CommandOptions) => Promise<string>;

/** A release in a tag: 1.2.3 of `v1.2.3`, 20240916.0 of `release-20240916.0`. */
const TAGGED = /^(?:v|release-)?(\d+(?:\.\d+)+)/;

/**
 * Reads what a checkout is: the tree of a ref, or the files of the folder as they are, without those that git ignores. The
 * index, the objects and the files of the checkout stay as they are.
 *
 * @param work an empty folder that is there until the checkout is unpacked.
 * @throws UsageError when it is not a checkout, has no such ref, or is the source of something else.
 */
export async function readCheckout(host: Host, work: string, wanted: Wanted): Promise<Checkout> {
  const { name, version } = wanted;
  const { path = '', ref, release } = parseLocalBuild(version) ?? {};
  const folder = resolve(workDir(host), path);
  const refuse = (what: string, tryNext: string): UsageError =>
    new UsageError(`${name} ${version} ${what}`, { tryNext });
  const explain = (reason: string): UsageError =>
    refuse(
      `cannot be read: ${reason}`,
      `git:<folder> is a git checkout of ${name}; try: git -C ${folder} status`,
    );
  const below = openGit(host, folder, explain);
  const prefix = await below(['rev-parse', '--show-prefix']);
  const git = openGit(host, await below(['rev-parse', '--show-toplevel']), explain);
  const head = ref ?? 'HEAD';
  const commit = await find(git, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${head}^{commit}`,
  ]);
  if (ref !== undefined && commit === undefined)
    throw refuse(`has no ${ref}`, `name a branch, a tag or a commit of ${folder}`);
  const committed = commit === undefined ? undefined : await git(['rev-parse', `${commit}^{tree}`]);
  const store = ref === undefined ? await writeFiles(git, work) : {};
  const whole = ref === undefined ? await git(['write-tree'], { env: store }) : (committed ?? '');
  const tree = prefix === '' ? whole : await git(['rev-parse', `${whole}:${prefix}`], { env: store });
  const goMod = await find(git, ['cat-file', 'blob', `${tree}:go.mod`], { env: store });
  const component = getComponent(wanted.components, name);
  const checked = checkModule(component, goMod);
  if ('why' in checked)
    throw refuse(
      `is not a checkout of ${name}: ${checked.why}`,
      `name a folder whose go.mod is of ${checked.wanted}`,
    );
  const { generated } = component;
  if (generated && (await find(git, ['ls-tree', tree, '--', generated.file], { env: store })) === undefined)
    throw refuse(`has no ${generated.file}`, generated.hint);
  const { fitting } = checked;
  const number = release ?? (commit === undefined ? undefined : await findTagged(git, commit)) ?? '0.0.0';
  const found = fitting.find((source) => isInRange(source, number)) ?? fitting.at(-1);
  if (found === undefined) throw refuse('has no source', `add one to ${name}`);
  const planned = planInputs(name, number, pickPrograms(found, wanted.programs), tree);
  const { source } = planned;
  if (source.kind !== 'gomod') throw new InternalError(`a checkout of ${name} is built as ${source.kind}`);
  return {
    inputs: { ...planned, version: recordCheckout(basename(folder), tree, whole !== committed) },
    source,
    tree,
    ...(commit === undefined ? {} : { commit }),
    unpack: (to) => unpackTree(git, tree, to, { ...store, GIT_INDEX_FILE: join(work, 'unpacked') }),
  };
}

/** Builds the programs of a checkout with the Go that it names. */
export async function buildCheckout(
  context: BuildContext,
  { source, tree, commit, unpack }: Checkout,
): Promise<SourceResult> {
  if (source.cgo !== undefined)
    await ensureHostPackages(context.host, context.title, source.cgo.hostPackages);
  const folder = join(context.workFolder, 'checkout');
  mkdirSync(folder);
  await unpack(folder);
  const goMod = await readGoMod(context, join(folder, 'go.mod'));
  const facts = await runGoBuild(context, {
    folder,
    go: nameGo(folder, goMod, chooseGo(source.go, context.version)),
    packages: joinPackages(source.module, source.binaries),
    ldflags: source.ldflags,
    ...(source.tags === undefined ? {} : { tags: source.tags }),
    cgo: source.cgo !== undefined,
    mod: 'own',
  });
  return {
    ok: true,
    facts: {
      ...facts,
      ...(await describeCompiler(context, source)),
      tree,
      ...(commit === undefined ? {} : { commit }),
    },
  };
}

/** Only what says how these programs are built: where their module comes from is the checkout. */
function pickPrograms(
  source: ComponentSourceOf<'gomod'>,
  programs: readonly string[],
): ComponentSourceOf<'gomod'> {
  const { kind, module, moduleVersion, go, ldflags, tags, cgo } = source;
  const binaries = Object.fromEntries(
    Object.entries(source.binaries).filter(([program]) => programs.includes(program)),
  );
  return {
    kind,
    module,
    moduleVersion,
    go,
    ldflags,
    binaries,
    ...(tags === undefined ? {} : { tags }),
    ...(cgo === undefined ? {} : { cgo }),
  };
}

/** Variables by which a git around this process says which repository it means (`git rev-parse --local-env-vars`). */
const OF_ANOTHER_REPOSITORY =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|PREFIX|NAMESPACE|GRAFT_FILE|SHALLOW_FILE|IMPLICIT_WORK_TREE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE|INTERNAL_SUPER_PREFIX)$/;

/** Nothing that the repository names is run while the lab reads it. */
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

function openGit(host: Host, folder: string, explain: (reason: string) => Error): Git {
  return async (words, options) => {
    try {
      const { stdout } = await host.run('git', ['-C', folder, ...QUIET, ...words], {
        ...options,
        withoutEnv: OF_ANOTHER_REPOSITORY,
        signal: host.signal,
      });
      return stdout.trim();
    } catch (error) {
      if (!(error instanceof CommandError) || error.failure !== 'exit-code') throw error;
      throw explain(error.tail.split('\n')[0] ?? error.message);
    }
  };
}

/** What git says; undefined when there is no such thing. */
async function find(
  git: Git,
  words: readonly string[],
  options?: CommandOptions,
): Promise<string | undefined> {
  const said = await git(words, { ...options, okStatus: [0, 1, 128] });
  return said === '' ? undefined : said;
}

/** The release that a commit comes after; undefined when no tag says it. */
async function findTagged(git: Git, commit: string): Promise<string | undefined> {
  const tag = await find(git, ['describe', '--tags', '--abbrev=0', commit]);
  return TAGGED.exec(tag ?? '')?.[1];
}

/**
 * Adds the files of the folder to an index and to objects of our own.
 *
 * @returns the variables by which git finds both.
 */
async function writeFiles(git: Git, work: string): Promise<Record<string, string>> {
  const pathOf = (name: string): Promise<string> =>
    git(['rev-parse', '--path-format=absolute', '--git-path', name]);
  const index = join(work, 'index');
  const objects = join(work, 'objects');
  mkdirSync(objects);
  // What git knows of files that have not changed: without it, each file is read.
  const known = await pathOf('index');
  if (existsSync(known)) copyFileSync(known, index);
  const store = {
    GIT_INDEX_FILE: index,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: await pathOf('objects'),
  };
  await git(['add', '--all', ':/'], { env: store });
  return store;
}

async function unpackTree(
  git: Git,
  tree: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await git(['read-tree', tree], { env });
  await git(['checkout-index', '--all', `--prefix=${folder}/`], { env });
}
