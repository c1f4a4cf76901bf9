import { describe, expect, it } from 'vitest';
import { renderGoMod } from '../../../../provision/components/gomod.ts';

describe('a go.mod for a public module', () => {
  it('copies the lines that Go ignores in a dependency and publishes the staging modules', () => {
    const own = {
      Go: '1.24.0',
      Godebug: [{ Key: 'default', Value: 'go1.24' }],
      Exclude: [{ Path: 'example.org/bad', Version: 'v1.0.0' }],
      Replace: [
        { Old: { Path: 'k8s.io/api' }, New: { Path: './staging/src/k8s.io/api' } },
        { Old: { Path: 'github.com/a/b' }, New: { Path: 'github.com/c/b', Version: 'v1.2.3' } },
      ],
    };
    expect(renderGoMod('k8s.io/kubernetes', 'v1.34.2', own, 'v0.34.2').trimEnd().split('\n')).toEqual([
      'module whodunit/build',
      'go 1.24.0',
      'godebug default=go1.24',
      'require k8s.io/kubernetes v1.34.2',
      'exclude example.org/bad v1.0.0',
      'replace k8s.io/api => k8s.io/api v0.34.2',
      'replace github.com/a/b => github.com/c/b v1.2.3',
    ]);
  });

  it('takes the published modules for commits of the staging folders too', () => {
    const Old = { Path: 'k8s.io/api' };
    const New = {
      Path: 'k8s.io/kubernetes/staging/src/k8s.io/api',
      Version: 'v0.0.0-20221208195143-b46a3f887ca9',
    };
    const own = { Replace: [{ Old, New }] };
    expect(renderGoMod('m', 'v1.26.1', own, 'v0.26.0')).toContain(
      'replace k8s.io/api => k8s.io/api v0.26.0\n',
    );
    expect(renderGoMod('m', 'v1.26.1', own)).toContain(`=> ${New.Path} ${New.Version}`);
  });

  it('takes what stands in for a staging module that a release never published', () => {
    const own = { Replace: [{ Old: { Path: 'k8s.io/a' }, New: { Path: './staging/src/k8s.io/a' } }] };
    const rendered = renderGoMod('m', 'v1.22.17', own, 'v0.22.17', { 'k8s.io/a': 'v0.22.16' });
    expect(rendered).toContain('replace k8s.io/a => k8s.io/a v0.22.16\n');
  });

  it('leaves out folders of the repository when their modules are published at the required version', () => {
    const own = { Replace: [{ Old: { Path: 'go.etcd.io/etcd/api/v3' }, New: { Path: '../api' } }] };
    expect(renderGoMod('go.etcd.io/etcd/server/v3', 'v3.6.5', own)).not.toContain('replace');
  });
});
