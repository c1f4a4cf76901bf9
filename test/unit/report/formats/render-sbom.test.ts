import { describe, expect, it } from 'vitest';
import type { GuestBill } from '../../../../lab/model/components/bill.ts';
import { renderGuestSbom } from '../../../../lab/report/formats/render-sbom.ts';
import { parseGoModules } from '../../../../provision/components/go-modules.ts';
import { parseModuleLicenses } from '../../../../provision/components/module-licenses.ts';
import { addLicenses } from '../../../../provision/layers/debian-licenses.ts';
import { parseDpkgStatus } from '../../../../provision/layers/debian-packages.ts';
import { listSchemaErrors } from '../../../cyclonedx.ts';

/** As dpkg writes it; the third is removed, its configuration stays. */
const STATUS = `Package: libc6
Status: install ok installed
Architecture: amd64
Multi-Arch: same
Source: glibc (2.36-9)
Version: 2.36-9+deb12u10
Description: GNU C Library: Shared libraries
 Contains the standard libraries.
 .
 Version: no field, but text of a description

Package: g++-12
Status: install ok installed
Architecture: amd64
Version: 12.2.0-14

Package: gone
Status: deinstall ok config-files
Architecture: all
Version: 1:1

`;

/** As `go version -m` prints it, of two programs and one that is none. */
const PRINTED = `/cache/etcd: go1.24.7
\tpath\tgo.etcd.io/etcd/server/v3
\tmod\tgo.etcd.io/etcd/server/v3\tv3.6.5\th1:4RbUb1Bd4y1WkBHmuF+cZII83JNQMuNXzyjwigQ06y0=
\tdep\tgithub.com/BurntSushi/toml\tv1.3.2+incompatible\th1:VlbKKnNfV8bJzeqoa4cOKqO6bYr3WgKZxO8Z16+hsOM=
\tdep\tk8s.io/api\tv0.0.0
\t=>\tk8s.io/api\tv0.34.2\th1:WQdDvYJazkmkwSncgNwGvVtaCt4TYXIU3wSMRgvp3MI=
\tdep\tk8s.io/staging\tv0.1.0
\t=>\t./staging\t
\tbuild\t-compiler=gc
/cache/cfg.sh: unrecognized file format
/cache/witness: go1.26.8
\tmod\twhodunit/witness\t(devel)\t
`;

const COPYRIGHT = new Map([
  ['./usr/share/doc/libc6/copyright', 'See /usr/share/common-licenses/LGPL-2.1 and </script>.'],
]);

const MODULES = parseGoModules(PRINTED);

const BILL: GuestBill = {
  variant: 'default',
  suite: 'bookworm',
  image: 'ab'.repeat(32),
  containerImages: ['registry.k8s.io/pause:3.10.1', 'host:5000/x:1'],
  packages: addLicenses(parseDpkgStatus(STATUS), COPYRIGHT),
  components: [
    {
      name: 'etcd',
      version: '3.6.5',
      license: 'Apache-2.0',
      source: 'gomod',
      digest: 'cd'.repeat(32),
      facts: { module: 'go.etcd.io/etcd/server/v3@v3.6.5', moduleSum: 'h1:x', go: 'go version go1.24.7' },
      programs: [{ name: 'etcd', sha256: 'ef'.repeat(32), modules: MODULES.get('/cache/etcd') ?? [] }],
    },
    {
      name: 'tini',
      version: '0.19.0',
      license: 'MIT',
      source: 'release',
      digest: '01'.repeat(32),
      facts: { url0: 'https://example.org/tini', digest0: `sha256:${'23'.repeat(32)}` },
      programs: [{ name: 'tini', sha256: '45'.repeat(32), modules: [] }],
    },
    { name: 'gvisor', version: '20260817.0', facts: {}, programs: [] },
  ],
  gaps: [],
};

interface Shown {
  components: { name: string; version?: string; purl?: string; components?: object[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
  compositions: { aggregate: string }[];
  metadata: { properties: { value: string }[] };
}
const render = (bill: GuestBill): Shown => renderGuestSbom(bill, '0.1.0') as Shown;

describe('the bill of materials of a guest', () => {
  it("is valid by CycloneDX's own schema, which sees what is wrong", () => {
    expect(listSchemaErrors(render(BILL))).toEqual([]);
    expect(listSchemaErrors(render({ ...BILL, gaps: ['x'] }))).toEqual([]);
    const wrong = { ...BILL, components: [{ ...BILL.components[0]!, license: 'Apache-2' }] };
    expect(listSchemaErrors(render(wrong)).join()).toContain('licenses');
    expect(listSchemaErrors({ ...render(BILL), surprise: 1 })).not.toEqual([]);
  });

  it('names packages with their sources, and leaves out what is removed', () => {
    const purls = render(BILL).components.flatMap(({ purl }) => (purl?.startsWith('pkg:deb') ? [purl] : []));
    expect(purls).toEqual([
      'pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=bookworm&upstream=glibc%402.36-9',
      'pkg:deb/debian/g%2B%2B-12@12.2.0-14?arch=amd64&distro=bookworm',
    ]);
  });

  it('names the licenses of packages, and says where there may be more', () => {
    expect(render(BILL).components.find(({ name }) => name === 'libc6')).toMatchObject({
      licenses: [{ license: { name: 'LGPL-2.1' } }],
      properties: [{ name: 'whodunit:licenses', value: 'some: read from a free text' }],
    });
  });

  it('names the licenses of modules', () => {
    const licenses = parseModuleLicenses('whodunit/witness (devel)\nk8s.io/api v0.34.2 Apache-2.0 MIT\n');
    const [path = '', names] = [...licenses][0] ?? [];
    expect([path, licenses.size]).toEqual(['k8s.io/api@v0.34.2', 1]);
    const [etcd] = BILL.components;
    const modules = [{ path: 'k8s.io/api', version: 'v0.34.2', licenses: names ?? [] }];
    const programs = etcd!.programs.map((program) => ({ ...program, modules }));
    const bill = render({ ...BILL, components: [{ ...etcd!, programs }] });
    expect(listSchemaErrors(bill)).toEqual([]);
    expect(bill.components.find(({ name }) => name === 'k8s.io/api')).toMatchObject({
      licenses: [{ license: { name: 'Apache-2.0' } }, { license: { name: 'MIT' } }],
    });
  });

  it('names the modules that were built in, not those that they replaced', () => {
    const { components, dependencies } = render(BILL);
    const built = [
      'pkg:golang/go.etcd.io/etcd/server/v3@v3.6.5',
      'pkg:golang/github.com/burntsushi/toml@v1.3.2%2Bincompatible',
      'pkg:golang/k8s.io/api@v0.34.2',
      'pkg:golang/k8s.io/staging@v0.1.0',
    ];
    expect(dependencies.find(({ ref }) => ref === 'etcd@3.6.5/etcd')?.dependsOn).toEqual(built);
    expect(components.filter(({ purl }) => built.includes(purl ?? ''))).toHaveLength(5);
    expect(MODULES.get('/cache/witness')).toEqual([{ path: 'whodunit/witness', version: '(devel)' }]);
    expect([...MODULES.keys()]).toEqual(['/cache/etcd', '/cache/witness']);
  });

  it('refers to nothing that it does not have', () => {
    const { components, dependencies } = render(BILL);
    const refs = JSON.stringify(components).match(/"bom-ref":"[^"]*"/g) ?? [];
    expect(new Set(refs).size).toBe(refs.length);
    for (const { ref, dependsOn } of dependencies)
      for (const id of [ref, ...dependsOn])
        expect([...refs, '"bom-ref":"guest"']).toContain(`"bom-ref":"${id}"`);
  });

  it('says what is not known, and is then incomplete', () => {
    expect(render(BILL).compositions[0]?.aggregate).toBe('complete');
    const partly = render({ ...BILL, gaps: ['the image is not in the cache'] });
    expect(partly.compositions[0]?.aggregate).toBe('incomplete');
    expect(partly.metadata.properties.map(({ value }) => value)).toEqual([
      'licenses of Debian packages: g++-12',
      'licenses of Go modules: go.etcd.io/etcd/server/v3, github.com/BurntSushi/toml, k8s.io/api, k8s.io/staging',
      'the image is not in the cache',
    ]);
  });

  it('is the same each time', () => {
    expect(render(BILL)).toEqual(render(BILL));
  });
});
