import { z } from 'zod';
import { FORMAT_VERSION } from '../files/format-version.ts';
import { compareAsWritten } from '../variants/versions.ts';
import { downloadDigestSchema } from './component-lock.ts';
import { templateSchema } from './template.ts';

/**
 * Schema of `components.yaml`: every program that the lab puts on a host or into a guest, its versions, and its
 * sources, tried in the order of the file.
 *
 * Templates (`url`, `package`, `ldflags`, …) know `{version}`, `{major}`, `{minor}` and `{patch}`.
 */

const goVersionSchema = z.string().regex(/^1\.\d+(\.\d+)?$/, 'an exact Go version such as 1.26.8');

/** A bound of versions: numbers joined by dots, or the beginning of a version that is a date. */
const boundSchema = z.string().regex(/^\d+(\.\d+)*$/, 'a version such as 1.22.0');

/** Whether the first entry whose `below` is above a version is the one that is meant, and there is one for each. */
function areInOrder(entries: readonly { readonly below?: string | undefined }[]): boolean {
  return entries.every(({ below }, index) => {
    const next = entries[index + 1];
    if (next === undefined || below === undefined) return next === undefined && below === undefined;
    return next.below === undefined || compareAsWritten(below, next.below) < 0;
  });
}

/**
 * The Go toolchain for a source; with a list, the first entry whose `below` is above the version. A `gomod` source
 * takes it only where the module names no toolchain of its own.
 */
const goSchema = z.union([
  goVersionSchema,
  z
    .array(
      z.strictObject({
        below: boundSchema.optional().describe('Versions from this one on are not meant.'),
        go: goVersionSchema.describe('An exact version of Go.'),
      }),
    )
    .min(1)
    .refine(areInOrder, {
      error: 'entries from the oldest to the newest `below`, and a last one, and only that, without it',
    })
    .describe('Go of its time: first entry with the version below `below`; the last one has no `below`.'),
]);

const ldflagsSchema = z.array(templateSchema()).default([]).describe('Linker flags added to `-s -w`.');
const binarySchema = z.string().regex(/^[a-z0-9][a-zA-Z0-9._-]*$/, 'a file name');

function areDifferent(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/** The releases that something is for; without a bound, all on that side. It is not part of the cache key. */
const rangeShape = {
  from: boundSchema.optional().describe('The oldest release that this is for.'),
  below: boundSchema.optional().describe('Releases from this one on are not meant.'),
};

const debianPackageSchema = z.string().regex(/^[a-z0-9][a-z0-9.+-]+$/, 'the name of a Debian package');

const debianPackagesSchema = z
  .array(debianPackageSchema)
  .min(1)
  .refine(areDifferent, { error: 'each package once' })
  .describe('Names of Debian packages.');

/** A relative path that leads nowhere else. */
const INSIDE = /^[A-Za-z0-9_-][\w.-]*(\/[A-Za-z0-9_-][\w.-]*)*$/;
/** The same with `{field}` in it. */
const INSIDE_TEMPLATE = /^[\w{}-][\w.{}-]*(\/[\w{}-][\w.{}-]*)*$/;
/** A Go package below a module or folder; empty for the module itself. */
const packageSchema = z
  .string()
  .regex(/^(\.?|[\w-][\w.-]*(\/[\w-][\w.-]*)*)$/, 'a package below the module, or an empty text');

/** The word that says which kind of source it is. */
function kindOf<Kind extends string>(kind: Kind): z.ZodLiteral<Kind> {
  return z.literal(kind).describe('The kind of source.');
}

/** At least one program: name to where it is. */
function fieldsOf<Value extends z.ZodType>(value: Value): z.ZodRecord<typeof binarySchema, Value> {
  return z.record(binarySchema, value).refine((fields) => Object.keys(fields).length > 0, {
    error: 'at least one program',
  });
}

const aptSourceSchema = z
  .strictObject({ kind: kindOf('apt'), packages: debianPackagesSchema })
  .describe('Packages of the Debian suite of the guest, installed while the image is built.');

/** Only HTTPS: what is fetched first is trusted because the host proves who it is. */
const httpsSchema = templateSchema(
  z.string().regex(/^https:\/\/[\w.-]+(:\d+)?\/[!-~]*$/, 'an https URL template'),
);

const digestsSchema = z
  .strictObject({
    from: z
      .string()
      .regex(/^https:\/\/\S+$/, 'an https URL')
      .describe('Who has published these digests.'),
    of: z
      .record(z.string().regex(/^\d[\w.-]*$/, 'a version such as 1.7.1'), downloadDigestSchema)
      .refine((digests) => Object.keys(digests).length > 0, { error: 'at least one version' })
      .describe('Version to digest. The source has these versions, and no other.'),
  })
  .describe('Digests that somebody else has published, of a project that publishes none.');

const downloadSchema = z
  .strictObject({
    url: httpsSchema.describe('Where it is downloaded from, a template.'),
    checksum: templateSchema(
      z
        .string()
        .regex(
          /^(https:\/\/[\w.-]+(:\d+)?\/|\{url\})[!-~]*$/,
          'an https URL template, or one that begins with {url}',
        ),
      ['url'],
    )
      .optional()
      .describe(
        'The checksum file that the project publishes for it (SHA-256 or SHA-512); {url} stands for the download.',
      ),
    digests: digestsSchema.optional(),
    binary: binarySchema.optional().describe('The download is this program itself.'),
    members: fieldsOf(templateSchema(z.string().regex(INSIDE_TEMPLATE, 'a path inside the archive')))
      .optional()
      .describe('The download is a .tar or .tar.gz: program name to path inside the archive.'),
  })
  .refine((d) => (d.binary === undefined) !== (d.members === undefined), {
    error: 'exactly one of binary and members',
  })
  .refine((d) => (d.checksum === undefined) !== (d.digests === undefined), {
    error: 'exactly one of checksum and digests',
  })
  .refine(({ url, checksum }) => checksum !== '{url}' && checksum !== url, {
    error: 'a checksum file, which is not the download itself',
    path: ['checksum'],
  });

const releaseSourceSchema = z
  .strictObject({
    kind: kindOf('release'),
    ...rangeShape,
    downloads: z.array(downloadSchema).min(1).describe('What is downloaded.'),
  })
  .describe('Upstream downloads, each compared with a published checksum, or with the lock.');

/** Debian package of the host, with a program on PATH or an absolute path that shows that it is installed. */
const hostPackagesSchema = z.record(debianPackageSchema, z.string().min(1));

const insideSchema = z.string().regex(INSIDE, 'a folder of the module, relative to its root');

const openapiSchema = z
  .strictObject({
    ...rangeShape,
    program: insideSchema.describe('The program whose packages say which types are defined.'),
    into: insideSchema.describe('The package that the file belongs to.'),
  })
  .describe('Releases in this range lack their OpenAPI definitions: zz_generated.openapi.go is generated.');

const gomodSourceSchema = z
  .strictObject({
    kind: kindOf('gomod'),
    ...rangeShape,
    module: z
      .string()
      .regex(/^[\w-]+(\.[\w-]+)+(\/[\w~-][\w.~-]*)*$/, 'the path of a Go module')
      .describe('The path of the Go module.'),
    moduleVersion: templateSchema().default('v{version}').describe('The version of the module, a template.'),
    go: goSchema.describe('The Go toolchain that builds it.'),
    binaries: fieldsOf(packageSchema).describe('Program name to package, relative to the module.'),
    mains: z
      .record(binarySchema, z.string().min(1))
      .optional()
      .describe(
        'Programs of `binaries` whose main package is this Go file, in place of the one of the module.',
      ),
    ldflags: ldflagsSchema,
    stagingVersion: templateSchema()
      .optional()
      .describe('Version of the modules that the module replaces by a folder of its own repository.'),
    standIns: z
      .record(z.string(), z.record(z.string(), z.string()))
      .optional()
      .describe(
        'Release to modules of `stagingVersion` that it never published, and the version taken instead.',
      ),
    openapi: openapiSchema.optional(),
    tags: z.array(z.string().min(1)).min(1).optional().describe('Build constraints.'),
    cgo: z
      .strictObject({
        hostPackages: hostPackagesSchema.describe(
          'Debian package of the host to a program or path that shows that it is installed.',
        ),
      })
      .optional()
      .describe('Parts are written in C: compiled with the host packages named here, linked statically.'),
  })
  .describe('Built from the public Go module, verified by the checksum database.');

const localSourceSchema = z
  .strictObject({
    kind: kindOf('local'),
    folder: z
      .string()
      .regex(INSIDE, 'a folder of this repository, relative to its root')
      .describe('Go module in this repository, relative to its root.'),
    go: goSchema.describe('The Go toolchain that builds it.'),
    binaries: fieldsOf(packageSchema).describe('Program name to package, relative to the folder.'),
    ldflags: ldflagsSchema,
  })
  .describe('Built from a Go folder of this repository; its content is part of the cache key.');

const debSourceSchema = z
  .strictObject({
    kind: kindOf('deb'),
    package: debianPackageSchema.describe('The name of the package.'),
    members: fieldsOf(insideSchema).describe(
      'Program name to path inside the package; it has to be linked statically.',
    ),
  })
  .describe("Programs of a package of the host's apt, which has to be of this version.");

const rootfsSourceSchema = z
  .strictObject({
    kind: kindOf('rootfs'),
    suite: templateSchema(z.string().min(1)).describe('The Debian suite, or a template of it.'),
    packages: debianPackagesSchema,
    applets: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/, 'the name of a program')
      .optional()
      .describe(
        'A program of the packages that is many in one, linked statically: each name that its `--list` prints is a link to it in `/bin`.',
      ),
  })
  .describe(
    'Packages of a Debian suite and all that they need, unpacked: the root file system of a container image.',
  );

const fileSourceSchema = z
  .strictObject({
    kind: kindOf('file'),
    programs: z
      .array(binarySchema)
      .min(1)
      .refine(areDifferent, { error: 'each program once' })
      .describe(
        'Programs of a local build: the path is the first one or their folder; all are in one folder.',
      ),
    replaces: z
      .boolean()
      .optional()
      .describe(
        'The version is `<release>@file:<path>`: these programs take the place of those of the release.',
      ),
  })
  .describe('Built by the user on this host; asked for as `file:<path>`, and only then.');

const sourceSchema = z.discriminatedUnion('kind', [
  aptSourceSchema,
  releaseSourceSchema,
  gomodSourceSchema,
  localSourceSchema,
  debSourceSchema,
  rootfsSourceSchema,
  fileSourceSchema,
]);

const componentSchema = z.strictObject({
  about: z.string().min(1).describe('What it is, in a few words.'),
  license: z
    .string()
    .regex(/^[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*$/, 'an SPDX identifier such as Apache-2.0')
    .optional()
    .describe('SPDX identifier of the license of the project itself, for the bill of materials.'),
  versions: z
    .record(z.string(), z.string().regex(/^[A-Za-z0-9][\w.+~@:/-]*$/, 'a version such as 1.34.2, or apt'))
    .describe('Short name to exact version; the first is the default.'),
  anyVersion: z
    .boolean()
    .default(false)
    .describe('Any exact version that a source resolves is accepted too.'),
  sources: z.array(sourceSchema).min(1).describe('Where it comes from, tried in this order.'),
  generated: z
    .strictObject({
      file: z.string().min(1).describe('Path in the checkout of a file that is generated.'),
      hint: z.string().min(1).describe('Who generates it, and what to name instead, for the message.'),
    })
    .optional()
    .describe('What a checkout needs that its main branch does not have: Go alone does not make it.'),
});

const clusterSchema = z
  .strictObject({
    kubernetes: z
      .string()
      .regex(/^1\.\d+$/, 'a minor release such as 1.34')
      .describe('The minor release of Kubernetes.'),
    components: z.record(z.string(), z.string()).describe('Component to version.'),
  })
  .refine(({ components }) => !Object.hasOwn(components, 'kubernetes'), {
    error: 'components that go with the release, which is named above',
    path: ['components', 'kubernetes'],
  })
  .describe('What goes with this Kubernetes minor release: component to version.');

const nodeComponentsSchema = z.record(z.string(), z.string());

const archiveUrlSchema = z
  .string()
  // Nothing that would end its line in a list of package sources. apt checks signatures, so that http will do.
  .regex(/^https?:\/\/[\w.-]+(:\d+)?\/[\w./~%+-]*$/, 'an http or https URL');

/** Where packages of Debian come from. */
export const debianArchiveSchema = z
  .strictObject({
    archive: archiveUrlSchema.describe('The archive with the suites themselves, or a mirror of it.'),
    security: archiveUrlSchema.describe('The archive with their security updates, or a mirror of it.'),
  })
  .describe('Where the packages of every guest come from, whatever distribution the host has.');

/** Schema of the whole file. */
export const componentsSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION).describe('Version of this format.'),
  debian: debianArchiveSchema,
  components: z
    .record(z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), componentSchema)
    .describe('Every program, by name.'),
  nodeComponents: nodeComponentsSchema
    .default({})
    .describe('What every node consists of beside Kubernetes and `clusters`: component to version.'),
  clusters: z.array(clusterSchema).default([]).describe('What goes with each release of Kubernetes.'),
});

/** The catalogue: `components.yaml` as read, defaults filled in. */
export type Components = z.infer<typeof componentsSchema>;
/** Where packages of Debian come from: two URLs. */
export type DebianArchive = z.infer<typeof debianArchiveSchema>;
/** One component of the catalogue. */
export type Component = z.infer<typeof componentSchema>;
/** One way to get a component. */
export type ComponentSource = z.infer<typeof sourceSchema>;
/** A source of one kind. */
export type ComponentSourceOf<K extends ComponentSource['kind']> = Extract<ComponentSource, { kind: K }>;
/** Which Go builds a source. */
export type GoChoice = z.infer<typeof goSchema>;
