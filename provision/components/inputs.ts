import {
  compareVersions,
  isInRange,
  type GoChoice,
  type ComponentSource,
  type ComponentSourceOf,
} from '../../lab/model/components/components.ts';
import { TEMPLATE_FIELDS } from '../../lab/model/components/template.ts';
import { InternalError } from '../../lab/model/errors/errors.ts';

/** Raised when the way of building changes, so that older cache entries are not taken for the same thing. */
const BUILDER_VERSION = 2;

/** Everything that decides the content of a cache entry. */
export interface EntryInputs {
  readonly builder: number;
  readonly component: string;
  readonly version: string;
  readonly platform: 'linux/amd64';
  /** The source with its templates filled in for this version. */
  readonly source: ComponentSource;
  /** For `local` and `file`: SHA-256 of the folder or the files. */
  readonly content?: string;
}

/** Collects the inputs of one component from one source. */
export function planInputs(
  component: string,
  version: string,
  source: ComponentSource,
  content?: string,
): EntryInputs {
  return {
    builder: BUILDER_VERSION,
    component,
    version,
    platform: 'linux/amd64',
    source: fillSource(source, version),
    ...(content === undefined ? {} : { content }),
  };
}

/** Fills the parts of a version into a template. */
export function fillTemplate(template: string, version: string): string {
  const [major = '', minor = '', patch = ''] = version.split('.');
  const values: Readonly<Record<(typeof TEMPLATE_FIELDS)[number], string>> = { version, major, minor, patch };
  return TEMPLATE_FIELDS.reduce((text, name) => text.replaceAll(`{${name}}`, values[name]), template);
}

/** Picks the Go release for a version: the first entry whose `below` is newer than it. */
export function chooseGo(choice: GoChoice, version: string): string {
  if (typeof choice === 'string') return choice;
  const found = choice.find(
    (entry) => entry.below === undefined || compareVersions(version, entry.below) < 0,
  );
  if (found === undefined) throw new InternalError(`no Go release is chosen for version ${version}`);
  return found.go;
}

/** The name that `go build -o folder/` gives to a program: the last part of its import path, less a `/v3`. */
export function defaultProgramName(importPath: string): string {
  const parts = importPath.split('/');
  const last = parts.at(-1) ?? importPath;
  return /^v\d+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last;
}

function fillSource(source: ComponentSource, version: string): ComponentSource {
  const fill = (text: string): string => fillTemplate(text, version);
  switch (source.kind) {
    case 'apt':
    case 'deb':
    case 'file':
      return source;
    case 'release':
      return {
        ...withoutRange(source),
        downloads: source.downloads.map((download) => {
          const url = fill(download.url);
          return {
            ...download,
            url,
            ...(download.checksum === undefined
              ? {}
              : { checksum: fill(download.checksum.replace('{url}', url)) }),
            ...onlyDigestOf(download, version),
            ...(download.members === undefined
              ? {}
              : {
                  members: Object.fromEntries(
                    Object.entries(download.members).map(([name, path]) => [name, fill(path)]),
                  ),
                }),
          };
        }),
      };
    case 'gomod':
      return {
        ...onlyOpenapiOf(onlyStandInsOf(withoutRange(source), version), version),
        moduleVersion: fill(source.moduleVersion),
        go: chooseGo(source.go, version),
        ldflags: source.ldflags.map(fill),
        ...(source.stagingVersion === undefined ? {} : { stagingVersion: fill(source.stagingVersion) }),
      };
    case 'rootfs':
      return { ...source, suite: fill(source.suite) };
    case 'local':
      return { ...source, go: chooseGo(source.go, version), ldflags: source.ldflags.map(fill) };
  }
}

/** The digest of another version is not an input of this one. */
function onlyDigestOf(
  { digests }: ComponentSourceOf<'release'>['downloads'][number],
  version: string,
): Pick<ComponentSourceOf<'release'>['downloads'][number], 'digests'> {
  const digest = digests?.of[version];
  return digests === undefined || digest === undefined
    ? {}
    : { digests: { from: digests.from, of: { [version]: digest } } };
}

/** The range of releases of a source, and the stand-ins for modules of other releases, are not inputs of this one. */
function withoutRange<T extends { from?: string | undefined; below?: string | undefined }>(source: T): T {
  const own = { ...source };
  delete own.from;
  delete own.below;
  return own;
}

function onlyStandInsOf(source: ComponentSourceOf<'gomod'>, version: string): ComponentSourceOf<'gomod'> {
  const { standIns, ...rest } = source;
  const own = standIns?.[version];
  return own === undefined ? rest : { ...rest, standIns: { [version]: own } };
}

/** A file that only other releases lack is not an input of this one, and neither is their range. */
function onlyOpenapiOf(source: ComponentSourceOf<'gomod'>, version: string): ComponentSourceOf<'gomod'> {
  const { openapi, ...rest } = source;
  return openapi !== undefined && isInRange(openapi, version)
    ? { ...rest, openapi: withoutRange(openapi) }
    : rest;
}
