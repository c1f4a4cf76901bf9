import { expect, it } from 'vitest';
import type { Artifact } from '../../../../lab/model/components/components.ts';
import { planImageSpec } from '../../../../lab/world/recipe/image-spec.ts';
import { nameInputs } from '../../../../lab/world/recipe/look-up-world.ts';
import { PROJECT } from '../../project-files.ts';
import { inputOf } from '../fake-world.ts';

it("the image of a derived world has the versions of the programs that were put into it, the suite's of all others", () => {
  const { recipe, image } = inputOf({ containerd: '2.1.4' });
  const parent = { ...image, versions: { containerd: '1.6.20~ds1', runc: '1.1.5+ds1', systemd: '252' } };
  const artifacts = recipe.components.map(({ name, version }): Artifact => ({
    component: name,
    version,
    source: 'gomod',
    digest: `digest-${name}`,
    files: {},
    packages: [],
  }));
  const host = { projectDir: PROJECT, cacheDir: '/nowhere' };
  const named = nameInputs(host, parent, planImageSpec(recipe, artifacts));
  expect(named.versions).toEqual({ containerd: '2.1.4', runc: '1.1.5+ds1', systemd: '252' });
});
