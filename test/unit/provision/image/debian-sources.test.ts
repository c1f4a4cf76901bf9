import { describe, expect, it } from 'vitest';
import { pickAptOptions, planDebianSources } from '../../../../provision/image/debian-sources.ts';

const targets = `http://mirror.test/debian-security/|bookworm-security|main|Debian|Debian-Security
http://mirror.test/debian/|bookworm-updates|main|Debian|Debian
http://mirror.test/debian/|bookworm|contrib|Debian|Debian
http://mirror.test/debian/|bookworm|main|Debian|Debian
http://node.test/|nodistro|main|. nodistro|. nodistro
`;
const key = '/keys.gpg';

describe('Debian sources of a guest', () => {
  it("are the host's own mirrors, security and updates included", () => {
    expect(planDebianSources(targets, 'bookworm', key).map((source) => source.line)).toEqual([
      'deb [signed-by=/keys.gpg check-valid-until=no] http://mirror.test/debian/ bookworm main',
      'deb [signed-by=/keys.gpg check-valid-until=no] http://mirror.test/debian/ bookworm-updates main',
      'deb [signed-by=/keys.gpg check-valid-until=no] http://mirror.test/debian-security/ bookworm-security main',
    ]);
  });

  it('carry the suite of the guest, not of the host', () => {
    const releases = planDebianSources(targets, 'trixie', key).map((source) => source.release);
    expect(releases).toEqual(['trixie', 'trixie-updates', 'trixie-security']);
  });

  it('have no security archive for sid, which has none', () => {
    expect(planDebianSources(targets, 'sid', key).map((source) => source.release)).toEqual(['sid']);
  });

  it('have the backports of a suite beside the suite itself', () => {
    const releases = planDebianSources(targets, 'bookworm-backports', key).map((source) => source.release);
    expect(releases).toEqual(['bookworm', 'bookworm-backports', 'bookworm-updates', 'bookworm-security']);
  });

  it('leave out the security archive of a suite out of support, whose files are gone before its index', () => {
    expect(planDebianSources(targets, 'bullseye', key).map((source) => source.release)).toEqual(['bullseye']);
  });

  it('leave security out when the host does not use it', () => {
    const plain = 'http://mirror.test/debian/|bookworm|main|Debian|Debian\n';
    expect(planDebianSources(plain, 'bookworm', key)).toHaveLength(1);
  });

  it('say what to do on a host whose apt knows no Debian archive', () => {
    const foreign = 'http://archive.test/ubuntu/|noble|main|Ubuntu|Ubuntu\n';
    expect(() => planDebianSources(foreign, 'bookworm', key)).toThrow(/knows no Debian archive/);
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
