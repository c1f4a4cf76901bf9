import { expect, it } from 'vitest';
import { parseComponents } from '../../../../lab/model/components/components.ts';
import { readProjectText } from '../../project-files.ts';

const catalogueText = (versions: string, source: string): string => `
formatVersion: 1
debian: { archive: 'http://mirror.test/debian/', security: 'http://mirror.test/debian-security/' }
components:
  thing: { about: a thing, versions: { ${versions} }, sources: [${source}] }
`;

it('refuses a file of the host behind a short name', () => {
  const text = catalogueText("harmless: 'file:/etc/shadow'", '{ kind: file, programs: [thing] }');
  expect(() => parseComponents(text)).toThrow(/versions\.harmless: expected .*no local build/);
});

it.each(['../beside', '/etc', 'a/../../b', '.lab'])('refuses the Go folder %s', (folder) => {
  const text = catalogueText("'1': '1'", `{ kind: local, folder: ${folder}, go: 1.26.8, binaries: {} }`);
  expect(() => parseComponents(text)).toThrow(/folder: expected a folder of this repository/);
});

it('has the license of every component that is shipped', () => {
  const { components } = parseComponents(readProjectText('components.yaml'));
  const unlicensed = Object.entries(components).filter(([, { license }]) => license === undefined);
  expect(unlicensed.map(([name]) => name)).toEqual([]);
});
