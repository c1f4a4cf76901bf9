import { bugOfLink } from '../../case/search/bug-of-link.ts';
import { isLink } from '../../case/search/search-link.ts';
import { readDeclarations } from '../../drivers/project/project-files.ts';
import type { NewResult } from '../../model/saved/answers.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { shellWord } from '../../model/text/shell.ts';
import { listReportedBugs } from '../../plan/bugs/find-bug.ts';
import { parseVariantName } from '../../plan/variants/parse-variant.ts';
import { listBroken, refuseBroken } from '../../plan/config/broken.ts';
import { parseUsable, type ConfigFile } from '../../plan/config/parse-config.ts';
import {
  bugSkeleton,
  OF_PACKAGE,
  scenarioSkeleton,
  type SkeletonOptions,
} from '../../plan/config/skeletons.ts';
import { loadQuietly, readPlatform } from '../setup/config.ts';
import { refusePresent, requireWorkDir, writeFiles } from '../setup/new-files.ts';
import type { ClosedWord } from '../context/closed-words.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { isListKind } from '../context/list-words.ts';

type MakeSkeleton = (name: string, options: SkeletonOptions) => ConfigFile[];

const KINDS: Readonly<Record<string, MakeSkeleton>> = {
  scenario: scenarioSkeleton,
  bug: bugSkeleton,
} satisfies Record<ClosedWord<'new'>, MakeSkeleton>;

/** The longest name: it becomes the name of a pod, and a label (RFC 1123). */
const MOST_LETTERS = 63;

/**
 * `whodunit new scenario|bug <name>`: writes files to start from, which pass every check. The name of a bug may be its
 * link.
 */
export const runNew: RunVerb = async (context, words) => {
  const [kind = '', ...given] = words;
  for (const word of given) if (kind === 'bug' && isLink(word)) refuseKnownLink(context, word);
  const { name, link } = readName(kind, given);
  refuseReservedName(context, name);
  const schemas = context.ownDir === undefined ? undefined : OF_PACKAGE;
  const files = makeFiles(kind, name, { link, schemas });
  const folder = requireWorkDir(context);
  refusePresent(folder, files, 'choose another name');
  const { broken } = parseUsable([...readDeclarations(context), ...files], readPlatform(context.projectDir));
  const own = listBroken(broken).filter((part) => part.name === name);
  if (own.length > 0) throw refuseBroken(own);
  const result: NewResult = { formatVersion: FORMAT_VERSION, files: writeFiles(folder, files) };
  const next =
    kind === 'bug' ? `repro ${name} --dry-run` : `list ${isListKind(name) ? 'scenario=' : ''}${name}`;
  const text = [...result.files, '', `next: npx whodunit ${next}`].join('\n');
  return { status: 'passed', json: result, text: () => text };
};

/**
 * Returns the name and the link. If only a link is given, the name is made from it.
 *
 * @throws UsageError for a second word that is not the link of a bug.
 */
function readName(kind: string, given: readonly string[]): { name: string; link?: string } {
  const [word = '', second] = given;
  const link = second ?? (isLink(word) ? word : undefined);
  if (link === undefined) return { name: word };
  if (kind !== 'bug')
    throw new UsageError(`only a bug has a link, and "${link}" is one`, {
      tryNext: `npx whodunit new bug ${shellWord(link)}`,
    });
  const found = bugOfLink(link);
  if (found === undefined)
    throw new UsageError(`"${link}" is not the whole https:// address of a report`, {
      tryNext: 'npx whodunit new bug https://github.com/<owner>/<repository>/issues/<number>',
    });
  return { name: second === undefined ? found.id : word, link: found.link };
}

/** @throws UsageError when there is already a bug with this link. */
function refuseKnownLink(context: Context, link: string): void {
  const [known] = listReportedBugs(loadQuietly(context).bugs, link);
  if (known !== undefined)
    throw new UsageError(`${link} is a link of the bug ${known.id}`, {
      tryNext: `npx whodunit repro ${known.id} --dry-run`,
    });
}

/** @throws UsageError for the name of a variant and for `latest`, which mean something else in addresses and for runs. */
function refuseReservedName(context: Context, name: string): void {
  const isVariant = 'variant' in parseVariantName(loadQuietly(context).matrix, name);
  if (name !== 'latest' && !isVariant) return;
  throw new UsageError(
    `"${name}" is ${isVariant ? 'the name of a variant' : 'how the newest run is called'}, so nothing else can be called that`,
    { tryNext: 'choose another name' },
  );
}

/** @throws UsageError for another kind, or a name that cannot be that of a scenario. */
function makeFiles(kind: string, name: string, options: SkeletonOptions): ConfigFile[] {
  const make = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  const tryNext = `npx whodunit new ${kind === 'bug' ? 'bug my-bug' : 'scenario my-scenario'}`;
  if (make === undefined) {
    const hint = formatHint(kind, Object.keys(KINDS));
    throw new UsageError(`new cannot create a "${kind}"${hint}`, { tryNext });
  }
  if (name.length > MOST_LETTERS)
    throw new UsageError(`a name has at most ${MOST_LETTERS} letters, and this one has ${name.length}`, {
      tryNext,
    });
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    throw new UsageError(`"${name}" is not a valid name: use lower-case words joined by -`, { tryNext });
  return make(name, options);
}
