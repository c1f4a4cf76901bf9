import { z } from 'zod';

/** A version as matrix.yaml declares it. */
export const declaredVersion = z.string().regex(/^\d+(\.\d+)*$/, 'a version in quotes, such as "6.1"');

export const suiteSchema = z
  .strictObject({
    kernel: declaredVersion.describe('Of linux-image-cloud-amd64: major and minor release.'),
    systemd: declaredVersion.describe('Of the package systemd.'),
    containerd: declaredVersion.describe('Of the package containerd.'),
    runc: declaredVersion.describe('Debian writes 1.0.0~rc93; here it is 1.0.0.'),
    crun: declaredVersion.optional().describe('Of the package crun; left out: no rule may speak of it.'),
    runsc: declaredVersion
      .optional()
      .describe('Date of the gVisor release in the suite; left out: it has none.'),
  })
  .describe('What a Debian suite ships, as far as rules speak of it. Worlds read the real versions back.');

/** What a Debian suite ships. */
export type Suite = z.infer<typeof suiteSchema>;
