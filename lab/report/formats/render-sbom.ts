import type {
  BilledComponent,
  BilledProgram,
  DebianPackage,
  GoModule,
  GuestBill,
} from '../../model/components/bill.ts';

/** The version of the specification; https://cyclonedx.org/docs/1.6/json/ */
const SPEC_VERSION = '1.6';

/** A component of a CycloneDX document. */
interface Component {
  readonly type: 'library' | 'application' | 'operating-system' | 'container' | 'file';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly [field: string]: unknown;
}

/**
 * Renders the bill of materials of a guest as a CycloneDX document. The same cache gives the same document: it has no
 * serial number and no date.
 *
 * Every component has its version; in addition a Debian package has its source, a program its digest, and a Go program
 * the modules that are compiled into it. The licenses of components are those of their projects, the licenses of
 * packages are read from their copyright files, and the licenses of modules from their license files. Unknown licenses
 * are named.
 */
export function renderGuestSbom(bill: GuestBill, toolVersion: string): object {
  const root: Component = {
    type: 'operating-system',
    'bom-ref': 'guest',
    name: `whodunit guest ${bill.variant}`,
    version: bill.image?.slice(0, 12),
    ...withProperties({ variant: bill.variant, suite: bill.suite, 'image-inputs': bill.image }),
  };
  const packages = bill.packages.map((debianPackage) => renderPackage(debianPackage, bill.suite));
  const components = bill.components.map(renderComponent);
  const modules = new Map(
    bill.components.flatMap(({ programs }) =>
      programs.flatMap((program) =>
        program.modules.map((module): [string, Component] => [refOfModule(module), renderModule(module)]),
      ),
    ),
  );
  const images = bill.containerImages.map(renderContainerImage);
  const parts = [...packages, ...components, ...images];
  return {
    $schema: `http://cyclonedx.org/schema/bom-${SPEC_VERSION}.schema.json`,
    bomFormat: 'CycloneDX',
    specVersion: SPEC_VERSION,
    version: 1,
    metadata: {
      tools: { components: [{ type: 'application', name: 'whodunit', version: toolVersion }] },
      component: root,
      properties: [
        ...describeUnlicensed('Debian packages', bill.packages),
        ...describeUnlicensed('Go modules', [...modules.values()]),
        ...bill.gaps.map((gap) => property('not-known', gap)),
      ],
    },
    components: [
      ...parts,
      ...[...modules].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component),
    ],
    dependencies: [
      { ref: root['bom-ref'], dependsOn: unique(parts.map((part) => part['bom-ref'])) },
      ...bill.components.flatMap((component) =>
        component.programs
          .filter((program) => program.modules.length > 0)
          .map((program) => ({
            ref: refOfProgram(component, program),
            dependsOn: unique(program.modules.map(refOfModule)),
          })),
      ),
    ],
    compositions: [
      { aggregate: bill.gaps.length === 0 ? 'complete' : 'incomplete', assemblies: [root['bom-ref']] },
    ],
  };
}

function renderPackage(debianPackage: DebianPackage, suite: string): Component {
  const { name, version, architecture, source, sourceVersion, licenses } = debianPackage;
  const isOwn = source === name && sourceVersion === version;
  const upstream = isOwn ? '' : `&upstream=${escape(`${source}@${sourceVersion}`)}`;
  const purl = `pkg:deb/debian/${escape(name)}@${escape(version)}?arch=${architecture}&distro=${suite}${upstream}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...renderLicenses(licenses?.names),
    ...withProperties({ licenses: licenses?.areAll === false ? 'some: read from a free text' : undefined }),
  };
}

/** Lists the packages or modules without a known license. */
function describeUnlicensed(
  kind: string,
  all: readonly { readonly name: string; readonly licenses?: unknown }[],
): object[] {
  const names = all.filter(({ licenses }) => licenses === undefined).map(({ name }) => name);
  return names.length === 0 ? [] : [property('not-known', `licenses of ${kind}: ${names.join(', ')}`)];
}

/** Licenses by their names: those of Debian are not SPDX identifiers, and few of a module's files have none either. */
function renderLicenses(names: readonly string[] | undefined): object {
  return names === undefined ? {} : { licenses: names.map((name) => ({ license: { name } })) };
}

function renderComponent(component: BilledComponent): Component {
  const { name, version, license, source, digest, facts, programs } = component;
  const { module, moduleSum, go } = facts;
  const urls = Object.entries(facts).filter(([fact]) => /^url\d+$/.test(fact));
  return {
    type: 'application',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
    ...(module === undefined ? {} : { purl: `pkg:golang/${purlOfModule(module)}` }),
    ...(urls.length === 0
      ? {}
      : {
          externalReferences: urls.map(([fact, url]) => ({
            type: 'distribution',
            url,
            ...renderHash(facts[fact.replace('url', 'digest')]),
          })),
        }),
    ...withProperties({ source, digest, 'go-sum': moduleSum, go, package: facts['package'] }),
    ...(programs.length === 0
      ? {}
      : {
          components: programs.map((program) => ({
            type: 'file',
            'bom-ref': refOfProgram(component, program),
            name: program.name,
            hashes: [{ alg: 'SHA-256', content: program.sha256 }],
          })),
        }),
  };
}

/** `sha256:<digits>` as a hash of CycloneDX. */
function renderHash(digest: string | undefined): object {
  const [, bits, content] = /^sha(256|512):([0-9a-f]+)$/.exec(digest ?? '') ?? [];
  return content === undefined ? {} : { hashes: [{ alg: `SHA-${bits}`, content }] };
}

function renderModule(module: GoModule): Component {
  const { path, version, sum, licenses } = module;
  const ref = refOfModule(module);
  return {
    type: 'library',
    'bom-ref': ref,
    name: path,
    version,
    purl: ref,
    ...renderLicenses(licenses),
    ...withProperties({ 'go-sum': sum }),
  };
}

function renderContainerImage(image: string): Component {
  const at = image.lastIndexOf(':');
  return {
    type: 'container',
    'bom-ref': `image ${image}`,
    name: image.slice(0, at),
    version: image.slice(at + 1),
  };
}

function refOfProgram({ name, version }: BilledComponent, program: BilledProgram): string {
  return `${name}@${version}/${program.name}`;
}

function refOfModule({ path, version }: GoModule): string {
  return `pkg:golang/${purlOfModule(`${path}@${version}`)}`;
}

/** `k8s.io/kubernetes@v1.34.2` as a package URL has it: in small letters, without the version of a folder. */
function purlOfModule(module: string): string {
  const at = module.lastIndexOf('@');
  const [path, version] = [module.slice(0, at), module.slice(at + 1)];
  const escaped = path.toLowerCase().split('/').map(escape).join('/');
  return version === '(devel)' ? escaped : `${escaped}@${escape(version)}`;
}

/** https://github.com/package-url/purl-spec: a colon stays as it is. */
function escape(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':');
}

/** Facts that CycloneDX has no field for, under a name of ours. */
function withProperties(facts: Readonly<Record<string, string | undefined>>): object {
  const known = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [property(name, value)],
  );
  return known.length === 0 ? {} : { properties: known };
}

function property(name: string, value: string): { name: string; value: string } {
  return { name: `whodunit:${name}`, value };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
