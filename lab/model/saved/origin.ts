import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';

/** A component as it was used. */
const usedComponentSchema = z.strictObject({
  name: z.string().describe('Name in components.yaml.'),
  version: z.string().describe('Exact version; `apt` where the suite decides.'),
  digest: z
    .string()
    .optional()
    .describe('SHA-256 over its files; absent of a local build, which is read each time it is asked for.'),
});

/** Schema of `origin.json`: what a cell was made of. */
export const originSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  scenario: z
    .strictObject({
      name: z.string().describe('Its name.'),
      digest: z.string().describe('SHA-256 over what its files say; comments do not count.'),
    })
    .describe('The scenario.'),
  world: z
    .strictObject({
      name: z.string().describe('Canonical name of the variant.'),
      key: z.string().describe('Digest of everything that went into the world.'),
      image: z.string().describe('Digest of everything that went into the image of its machines.'),
    })
    .optional()
    .describe('The world; absent when it did not come up.'),
  components: z
    .array(usedComponentSchema)
    .describe('Programs of the nodes, then of the images of the scenario.'),
});

/** What a cell was made of. */
export type Origin = z.infer<typeof originSchema>;

/** A component as it was used. */
export type UsedComponent = z.infer<typeof usedComponentSchema>;

/** The world that a cell would have now, whether it is there or would be built; as far as the cache tells. */
export interface PlannedOriginWorld {
  /**
   * Digest of everything that would go into its image; undefined while a component of its nodes is not in the cache.
   */
  readonly image: string | undefined;
  /**
   * Its key, and what of this host goes into it, for people: accelerator and libvirt. Undefined while its image is not
   * in the cache: versions of the image are read back.
   */
  readonly key: { readonly digest: string; readonly host: string } | undefined;
}

/** What a cell would be made of now. */
export type PlannedOrigin = Omit<Origin, 'world'> & { readonly world: PlannedOriginWorld };
