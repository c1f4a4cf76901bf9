import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';
import { END_FIELDS } from './end-fields.ts';
import { SEARCHED_MEASURE } from './searched-measure.ts';
import { oneOf } from '../text/closed-list.ts';

const count = (what: string): z.ZodNumber => z.number().int().nonnegative().describe(what);
const seconds = (what: string): z.ZodNumber => z.number().nonnegative().describe(what);
const address = z.string().describe('Address of the cell.');

const whatSchema = z
  .array(z.union([z.enum(END_FIELDS), z.string().regex(SEARCHED_MEASURE, 'a field of an end, or a bound')]))
  .min(1)
  .describe(
    'What tells one end from another: fields of an end, and bounds such as `zombies.max.atLeast=40`.',
  );

/** How a victim ended, field by field; a field that is absent is not known. */
const endSchema = z.strictObject({
  killer: z.string().optional().describe('Who ended the victim; `none`: it survived.'),
  level: z.string().optional().describe('Of an OOM kill: whose limit was hit.'),
  how: z.string().optional().describe('The way of this killer, where it has several.'),
  process: z.string().optional().describe('Which process of the container died.'),
  reason: z.string().optional().describe('What the API gave as the reason.'),
  measured: z
    .record(z.string(), z.number())
    .optional()
    .describe('Numbers of the measures that are asked for: `zombies.max`.'),
  notMeasured: z
    .record(z.string(), z.string())
    .optional()
    .describe('Those that were not taken, and why: such a run counts for neither side.'),
});

/** A line of the state: one run of a cell. */
export const searchedRunSchema = z.strictObject({
  value: z.string().describe('The version; of a difference the address.'),
  place: z.string().describe('Where its evidence is: id of the run, then the folder in it.'),
  isFresh: z.boolean().describe('Whether its world was built for this run, and not restored.'),
  seconds: seconds('What it took, in seconds, its share of the world included.'),
  end: endSchema.optional().describe('How the victim ended; absent: no observation, and `why`.'),
  why: z.string().optional().describe('Why there is no observation.'),
  bytes: z
    .string()
    .optional()
    .describe('Digests of all programs, where all are known: equal ones are the same bytes.'),
});

/** A version that may be asked. */
const searchedValueSchema = z.strictObject({
  value: z.string().describe('The version, as the axis has it.'),
  address,
  prepareSeconds: seconds('Until its world is up for the first time, in seconds.'),
  againSeconds: seconds('Until its world is up once more, in seconds.'),
  freshSeconds: seconds(
    'Until its world is built from its image, though one is saved, in seconds; absent: as `prepareSeconds`.',
  ).optional(),
  runSeconds: seconds('One run, in seconds.'),
  refused: z.string().optional().describe('Why it cannot be run.'),
  trials: z.number().int().optional().describe('So many saved runs of it there are; absent: it can be run.'),
});

const stateHead = {
  formatVersion: formatVersionSchema,
  search: z.string().describe('Id of the search.'),
  what: whatSchema,
  budgetSeconds: z.number().positive().optional().describe('The most that it may take, in seconds.'),
  saved: z.array(z.string()).optional().describe('It takes only these saved runs, and no machine.'),
};

/** The first line of the state of a bisect: what is asked. */
const bisectHeadSchema = z.strictObject({
  ...stateHead,
  kind: z.literal('bisect').describe('What is searched.'),
  address,
  axis: z.string().describe('The axis or parameter whose values are searched.'),
  good: z.string().describe('The good end.'),
  bad: z.string().describe('The bad end.'),
  branches: z.boolean().describe('Whether each maintained release line is searched.'),
  bug: z.string().optional().describe('Id of the bug that is searched for.'),
  values: z.array(searchedValueSchema).describe('The versions, the ends among them.'),
  notes: z.array(z.string()).describe('What is to be known of the versions.'),
});

/** A cell that the search for a difference may ask: the green one with some differences changed. */
const differenceHeadSchema = z.strictObject({
  ...stateHead,
  kind: z.literal('difference').describe('What is searched.'),
  red: address,
  green: address,
  mostRuns: count('At most so many runs of a cell between the ends.'),
  names: z
    .array(
      z.strictObject({
        name: z.string().describe('The axis or parameter.'),
        red: z.string().describe('Its value in the red cell.'),
        green: z.string().describe('Its value in the green cell.'),
      }),
    )
    .describe('What differs, those first whose change costs least.'),
});

/** The first line of a state. */
export const searchHeadSchema = z.discriminatedUnion('kind', [bisectHeadSchema, differenceHeadSchema]);

const spelledEnd = z.string().describe('The end in one line: `killer=memcg-oom level=container`.');

/** Runs by colour. */
const colours = {
  red: count('Runs that end as the bad end does.'),
  green: count('Runs that end as the good end does.'),
  other: count('Runs that end in neither way; they count for neither side.'),
  none: count('Runs without an observation.'),
  others: z.array(z.string()).describe('The ends that are neither red nor green.'),
  why: z.array(z.string()).describe('Why runs are not observations.'),
  setAside: z
    .literal(true)
    .optional()
    .describe('It is not run again: too many of its runs told nothing of either side.'),
};

const nextSchema = z
  .strictObject({
    address,
    runs: count('So often.'),
    isFresh: z.boolean().describe('In a world that is built for it.'),
    seconds: seconds('What it is estimated to take, in seconds.'),
  })
  .optional()
  .describe('What is run next; absent: the search is over.');

/** What a search can come to. */
export const SEARCH_OUTCOMES = {
  found: 'the change is between two neighbours; a line says whether both were confirmed',
  range: 'the change is in a range, and nothing that may be run narrows it',
  'ends-alike': 'the two ends do not differ often enough',
  'several-changes': 'the runs do not fit one change',
  open: 'more runs are needed',
} as const;

const lineSchema = z.strictObject({
  values: z.array(z.string()).describe('The versions of the line, the good end first.'),
  outcome: z
    .enum([...(Object.keys(SEARCH_OUTCOMES) as [keyof typeof SEARCH_OUTCOMES]), 'unchanged'])
    .describe('What it came to; `unchanged`: no version of this line has the change.'),
  lastGood: z.string().optional().describe('The last version with the outcome of the good end.'),
  firstBad: z.string().optional().describe('The first version with the outcome of the bad end.'),
  among: z.array(z.string()).describe('The versions that the outcome may change at, towards the bad end.'),
  probability: z.number().min(0).max(1).describe('How sure that is.'),
  confirmed: z.boolean().describe('Whether both neighbours were run again in freshly built worlds.'),
  misfits: z.array(z.string()).describe('Versions whose runs one change does not explain.'),
  sameBytes: z.boolean().describe('Whether both neighbours are the same bytes: then nothing changed there.'),
  chances: z
    .array(z.number().min(0).max(1))
    .optional()
    .describe(
      'How likely the outcome changes at each of `values`; absent where one change does not explain the runs, and where the side of the last version is not known.',
    ),
});

const answerHead = {
  formatVersion: formatVersionSchema,
  search: z.string().optional().describe('Id of the search; absent: nothing was started.'),
  what: whatSchema,
  ends: z
    .strictObject({ green: spelledEnd.optional(), red: spelledEnd.optional() })
    .describe('How the good and the bad end end; absent: not seen yet.'),
  outcome: oneOf(SEARCH_OUTCOMES, 'What it came to'),
  runs: count('Runs so far.'),
  seconds: seconds('What they took, in seconds.'),
  budgetSeconds: stateHead.budgetSeconds,
  next: nextSchema,
};

/** Answer of `whodunit bisect --json`. */
export const bisectSchema = z.strictObject({
  ...answerHead,
  address,
  axis: bisectHeadSchema.shape.axis,
  good: bisectHeadSchema.shape.good,
  bad: bisectHeadSchema.shape.bad,
  bug: bisectHeadSchema.shape.bug,
  isFix: z.boolean().describe('Whether the good end is the newer one, so that a fix is searched for.'),
  isSaved: z.boolean().describe('Whether it took saved runs only, and no machine.'),
  lines: z.array(lineSchema).describe('Each release line that was searched; the first is the main one.'),
  versions: z
    .array(
      z.strictObject({
        value: z.string().describe('The version.'),
        ...colours,
        refused: searchedValueSchema.shape.refused,
      }),
    )
    .describe('The versions, the good end first.'),
  notes: bisectHeadSchema.shape.notes,
  mostSeconds: seconds('What it takes if each version is run twice, in seconds.'),
});

/** Answer of `whodunit difference --json`. */
export const differenceSchema = z.strictObject({
  ...answerHead,
  red: address,
  green: address,
  differences: z
    .array(
      z.strictObject({
        ...differenceHeadSchema.shape.names.element.shape,
        isNeeded: z.boolean().optional().describe('Whether it turns the outcome; absent: not known yet.'),
        isUnsure: z.boolean().optional().describe('Whether leaving it out could not be observed.'),
        isNecessary: z
          .boolean()
          .optional()
          .describe('Whether the red cell is green without it, so that there is no other way to red.'),
      }),
    )
    .describe('What differs.'),
  cells: z
    .array(
      z.strictObject({
        address,
        changed: z.array(z.string()).describe('Names of what is as in the red cell.'),
        ...colours,
        says: z.string().describe('What it is like, or why that is not known.'),
      }),
    )
    .describe('Each cell that was asked, what is changed in it, and what it is like.'),
  mostCells: count('It asks at most so many cells.'),
  mostSeconds: seconds('What it takes if all of these are run as often as they may be, in seconds.'),
  bisect: z.string().optional().describe('The command that says which version made the difference.'),
});

export type SearchedRun = z.infer<typeof searchedRunSchema>;
export type SearchedValue = z.infer<typeof searchedValueSchema>;
export type BisectHead = z.infer<typeof bisectHeadSchema>;
export type DifferenceHead = z.infer<typeof differenceHeadSchema>;
export type SearchHead = BisectHead | DifferenceHead;
export type BisectResult = z.infer<typeof bisectSchema>;
export type BisectLine = z.infer<typeof lineSchema>;
export type DifferenceResult = z.infer<typeof differenceSchema>;
export type SearchNext = NonNullable<BisectResult['next']>;
