import { z } from 'zod';
import { valueOf, type Axis, type Variant } from '../axes/axes.ts';
import { HOWS, KILLERS } from '../killers/killers.ts';

/**
 * Schema of `docs/ways-to-die.yaml`: the known ways to die on a node, each with the scenarios that stage it, or the
 * reason why none does. The numbers of rows never change; a new way gets the next number.
 */

const waySchema = z
  .strictObject({
    row: z.number().int().positive(),
    name: z.string().min(1).describe('In a few words.'),
    scenarios: z.array(z.string()).min(1).optional().describe('Names of the scenarios that stage it.'),
    only: z
      .strictObject({
        killer: z.enum(KILLERS).optional(),
        how: z.enum(HOWS).optional(),
        runtime: z.enum(['runc', 'crun', 'runsc']).optional(),
      })
      .optional()
      .describe('Which of their cells stage it, where others are controls or stage something else.'),
    whyNot: z.string().min(1).optional().describe('Why no scenario stages it.'),
  })
  .refine((way) => (way.scenarios === undefined) !== (way.whyNot === undefined), {
    message: 'has either scenarios or whyNot',
  });

export const waysToDieSchema = z
  .strictObject({ formatVersion: z.literal(1), ways: z.array(waySchema) })
  .refine(({ ways }) => ways.every((way, index) => way.row === index + 1), {
    message: 'rows count from 1, without a gap',
  });

/** One way to die. */
export type WayToDie = z.infer<typeof waySchema>;

/** What a cell stages, as far as it tells ways to die apart. */
export interface Staged {
  readonly scenario: string;
  readonly variant: Variant;
  /** What is expected of it. */
  readonly killer: string;
  readonly how?: readonly string[] | undefined;
}

/** Whether a cell stages a way to die: some cells of its scenarios are controls, or stage another one. */
export function stagesWay({ scenarios = [], only = {} }: WayToDie, cell: Staged): boolean {
  const { killer, how, runtime } = only;
  return (
    scenarios.includes(cell.scenario) &&
    (killer === undefined || killer === cell.killer) &&
    (how === undefined || cell.how?.includes(how) === true) &&
    (runtime === undefined || valueOf(cell.variant, 'runtime').name === runtime)
  );
}

/** A value of an axis, and whether a way to die was recorded there. */
export interface Place {
  readonly axis: Axis;
  /** The value as it is written; of a runtime its name. */
  readonly value: string;
  readonly isRecorded: boolean;
  /** The cell that stages the way there; undefined when it was recorded already, or a rule refuses it. */
  readonly address: string | undefined;
  /** The rule that refuses every such cell. */
  readonly refusedBy: string | undefined;
}

/** A way to die, and every place where it can be asked for. */
export interface WayPlaces {
  readonly way: WayToDie;
  readonly places: readonly Place[];
}
