import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pickAptOptions, renderDebianSources } from '../../../../provision/image/debian-sources.ts';
import { DEBIAN_KEYS } from '../../../../provision/image/mmdebstrap.ts';
import { readProjectText } from '../../project-files.ts';

const DEBIAN = { archive: 'http://mirror.test/debian', security: 'http://mirror.test/debian-security' };
const KEYS = 'BEGIN\n\nabc\nEND\n';

/** Archive and suites of each source. */
function sourcesOf(suite: string): string[] {
  return renderDebianSources(DEBIAN, suite, KEYS)
    .split('\n\n')
    .map((source) => /URIs: (.*)\nSuites: (.*)\n/.exec(source)?.slice(1).join(' ') ?? '');
}

describe('Debian sources of a guest', () => {
  it.each([
    ['bookworm', ['debian bookworm bookworm-updates', 'debian-security bookworm-security']],
    ['trixie', ['debian trixie trixie-updates', 'debian-security trixie-security']],
    [
      'bookworm-backports',
      ['debian bookworm bookworm-backports bookworm-updates', 'debian-security bookworm-security'],
    ],
    // Out of support: the files of its security archive are gone before their index.
    ['bullseye', ['debian bullseye']],
    // It has no others.
    ['sid', ['debian sid']],
  ])('of %s are in the archive and the security archive', (suite, expected) => {
    expect(sourcesOf(suite)).toEqual(expected.map((source) => `http://mirror.test/${source}`));
  });

  it('carry the keys of the archive', () => {
    expect(renderDebianSources(DEBIAN, 'sid', KEYS)).toMatch(/\nSigned-By:\n BEGIN\n \.\n abc\n END\n$/);
  });

  it('are verified with the keyring of the package that is named, byte for byte', () => {
    const armored = readProjectText(DEBIAN_KEYS);
    const body = /\n\n([A-Za-z0-9+/=\n]*)\n=/.exec(armored)?.[1] ?? '';
    // sha256sum /usr/share/keyrings/debian-archive-keyring.gpg of debian-archive-keyring 2023.3+deb12u2
    expect(createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex')).toBe(
      '506b815cbb32d9b6066b4a2aa524071e071761e7e7f68c3ac74f3061ba852017',
    );
  });

  it("keep the proxy and TLS settings of the host's apt and nothing else", () => {
    const dump = `Acquire "";
Acquire::http "";
Acquire::http::Proxy "http://proxy.test:3128/";
Acquire::https::CaInfo "/etc/ssl/own.crt";
Acquire::Changelogs::URI "";
APT::Update::Post-Invoke:: "rm -f x";
`;
    expect(pickAptOptions(dump)).toEqual([
      'Acquire::http::Proxy "http://proxy.test:3128/";',
      'Acquire::https::CaInfo "/etc/ssl/own.crt";',
    ]);
  });
});
