import { z } from 'zod';

/** Version of every format that other programs read. It rises when such a program would have to change. */
export const FORMAT_VERSION = 1;

/** The field `formatVersion` of each format. */
export const formatVersionSchema = z
  .literal(FORMAT_VERSION)
  .describe('Rises when a reader would have to change; fields are added without.');
