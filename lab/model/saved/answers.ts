import { z } from 'zod';
import { againSchema } from './again.ts';
import { lockedSchema } from '../components/component-lock.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { cellSchema, listSchema, runResultSchema } from './formats.ts';
import { testedSchema } from './prove.ts';
import { redactedSchema } from './redacted.ts';
import { parameterTextsSchema } from '../declared/parameters.ts';

/** What verbs print with `--json` in addition to the formats of runs, cells, plans, bugs and the cache. */

const count = (about: string): z.ZodNumber => z.number().int().nonnegative().describe(about);
const worldName = z.string().describe('Its canonical variant name, which is its folder below `worlds/`.');
const runId = z.string().describe('Its id, which is its folder below `runs/`.');

/** `whodunit up --json` */
export const upSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  world: worldName,
  how: z
    .enum(['built', 'derived', 'restored', 'rebuilt'])
    .describe(
      'Whether it is new, was made of another world, comes from its snapshot, or replaces one that no longer fits.',
    ),
  seconds: z.number().describe('What it took, in seconds.'),
  kubeconfig: z.string().describe('Absolute path of the kubeconfig.'),
  nodes: z
    .array(
      z.strictObject({
        name: z.string().describe('Its name in the cluster.'),
        domain: z.string().describe('Its name in libvirt.'),
        sshPort: z.number().int().describe('Port of its SSH server on 127.0.0.1.'),
        apiPort: z.number().int().optional().describe('Port of the API server on 127.0.0.1.'),
        memoryMiB: z.number().int().describe('Its memory, in MiB.'),
        leaseRenewedAt: z
          .string()
          .optional()
          .describe('When it had renewed its lease last in the snapshot; by its own clock.'),
      }),
    )
    .describe('Its machines.'),
});

/** `whodunit version --json` */
export const versionSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  version: z.string().describe('The version of this whodunit, as package.json has it.'),
  node: z.string().describe('The version of the Node.js that runs it.'),
});

/** `whodunit help --json` */
export const helpSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  verbs: z
    .array(
      z.strictObject({
        name: z.string().describe('What is written after `whodunit`.'),
        group: z.string().describe('The heading of the help below which it is.'),
        words: z.string().optional().describe('Its words: `<one>`, `[optional]`, `[several...]`.'),
        about: z.string().describe('What it does.'),
        details: z.string().optional().describe('What its words mean.'),
        flags: z
          .array(
            z.strictObject({
              flag: z.string().describe('As it is written.'),
              takes: z.string().optional().describe('What its value is; absent when it takes none.'),
              about: z.string().describe('What it does.'),
            }),
          )
          .describe('Its flags.'),
        examples: z.array(z.string()).describe('Command lines.'),
        exits: z
          .array(
            z.strictObject({
              code: z.number().int().describe('The exit code.'),
              means: z.string().describe('What it means for this verb.'),
            }),
          )
          .describe('Exit codes that mean more for this verb than in general.'),
        answers: z
          .array(z.string())
          .describe('The schemas of what it prints as JSON: their files without `.schema.json`.'),
      }),
    )
    .describe('The verbs, in the order of the help.'),
});

/** `whodunit export --json` */
export const exportSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  run: runId,
  file: z.string().describe('The archive, as a person types its path.'),
  cells: count('Cells in it.'),
  contents: z
    .record(z.string(), z.string())
    .describe('SHA-256 of each file in it, by its path in the folder of the archive.'),
  redacted: redactedSchema,
});

/** `whodunit down --json` */
export const downSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  removed: z.array(z.string()).describe('Names of the worlds that were removed.'),
});

const garbageSchema = z.strictObject({
  kind: z.string().describe('What it is: a process, a domain, a file and so on.'),
  target: z.string().describe('Which one: a pid, a name, a path.'),
  owner: z.string().describe('The dead lab that left it, or its state folder where that is gone.'),
});

/** `whodunit gc --json` */
export const gcSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  dryRun: z.boolean().describe('Whether nothing was removed.'),
  removed: z.array(garbageSchema).describe('What was removed; in a dry run, what would be.'),
  failed: z
    .array(garbageSchema.extend({ error: z.string().describe('Why not.') }))
    .describe('What could not be removed.'),
  unread: z
    .array(z.strictObject({ file: z.string().describe('Absolute path.'), line: count('From 1.') }))
    .describe('Lines of the list of what to clean up that cannot be read: what they named is not removed.'),
  freedBytes: count('Disk that the removed files took, in bytes.'),
});

/** `whodunit bake --json` */
export const bakeSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  digest: z.string().describe('Of all its inputs.'),
  base: z.string().describe('Absolute path of the disk.'),
  versions: z.record(z.string(), z.string()).describe('What its programs said about themselves.'),
});

/** `whodunit lock --json` */
export const lockSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  file: z.string().describe('Absolute path of the lock.'),
  dryRun: z.boolean().describe('Whether nothing was written.'),
  added: z.array(lockedSchema).describe('What it did not have; in a dry run, what would be added.'),
  kept: count('Entries that it had before.'),
  lacking: z
    .array(
      z.strictObject({
        component: z.string().describe('Its name in components.yaml.'),
        version: z.string().describe('Its exact version.'),
        why: z.string().describe('Why no source of it could be locked.'),
      }),
    )
    .describe('Components that `--locked` refuses.'),
});

/** `whodunit why --json` */
export const whySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  run: runId,
  cell: cellSchema.describe('The cell, as `result.json` of the run has it.'),
  again: againSchema
    .optional()
    .describe('Whether that follows from its evidence; absent for a cell of which nothing was seen.'),
  experiments: z
    .array(testedSchema)
    .optional()
    .describe('Experiments of `whodunit prove` that tested this verdict, oldest first; absent: none.'),
});

/** `whodunit status --json` */
export const statusSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  folder: z.string().describe('Absolute path of the state folder.'),
  lock: z
    .strictObject({
      pid: z.number().int().describe('Its process.'),
      command: z.string().describe('What it was called with.'),
      at: z.string().describe('When it took the lock; ISO 8601, UTC.'),
    })
    .nullable()
    .describe('The lab that changes the state folder now; null when none does.'),
  worlds: z
    .array(
      z.strictObject({
        name: worldName,
        state: z
          .enum(['up', 'saved', 'lane', 'unfinished', 'unreadable'])
          .describe(
            '`up`: its machines run; `saved`: their power is off, its snapshot is there; `lane`: a fork that runs cells of a world, and is removed after them; `unfinished`: it was never ready; `unreadable`: this version cannot read its record.',
          ),
        nodes: count('Its machines.'),
        residentMiB: count('Memory that its QEMU processes have now, in MiB.'),
        diskBytes: count('Disk that it takes, in bytes.'),
      }),
    )
    .describe('Every world of the state folder.'),
  runs: z
    .strictObject({ count: count('Saved runs.'), diskBytes: count('Disk that they take, in bytes.') })
    .describe('Saved runs.'),
  cache: z
    .strictObject({
      folder: z.string().describe('Absolute path of the cache.'),
      diskBytes: count('Disk that it takes, in bytes.'),
    })
    .describe('What was built.'),
});

/** `whodunit runs --json` */
export const runsSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  runs: z
    .array(
      z.strictObject({
        run: runId,
        startedAt: z
          .string()
          .optional()
          .describe('When it began; ISO 8601, UTC. Absent when it cannot be read.'),
        totals: runResultSchema.shape.totals.optional(),
        words: z
          .array(z.string())
          .optional()
          .describe('The words that selected its cells; absent when they were not saved.'),
        bug: z.string().optional().describe('Id of the bug that it asked about.'),
        problem: z.string().optional().describe('Why it cannot be read.'),
      }),
    )
    .describe('Every saved run, newest first.'),
});

/** `whodunit scenarios --json` */
export const scenariosSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  scenarios: z
    .array(
      z.strictObject({
        name: z.string().describe('Its folder below `scenarios/`.'),
        title: z.string().describe('What happens and what must be found.'),
        tags: z.array(z.string()).describe('Words to select it by.'),
        killer: z.string().describe('Who must have killed the victim; `none` = it must survive.'),
        parameters: parameterTextsSchema.optional().describe('Its parameters, at their default.'),
      }),
    )
    .describe('In order of name.'),
});

/** `whodunit killers --json` */
export const killersSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  killers: z
    .array(
      z.strictObject({
        name: z.string().describe('As verdicts have it.'),
        family: z.string().describe('Who acts.'),
        hows: z.array(z.string()).describe('Its ways.'),
        proof: z.string().describe('What proves it; Markdown.'),
        advice: z.string().describe('What the person on call may do.'),
      }),
    )
    .describe('Every killer that a verdict can name.'),
});

/** `whodunit explain --json` */
export const explainSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  word: z.string().describe('What was asked for.'),
  entries: z
    .array(
      z.strictObject({
        kind: z.string().describe('What it is: an axis, a rule, a killer, a field and so on.'),
        name: z.string().describe('Its full name: of a field, its path in the format.'),
        text: z.array(z.string()).describe('What is to be known of it, a fact each.'),
        source: z.string().optional().describe('Where that can be checked.'),
      }),
    )
    .min(1)
    .describe('Everything of this name.'),
});

/** `whodunit list --summary --json` */
export const listSummarySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  worlds: z
    .array(
      z.strictObject({
        name: z.string().describe('Canonical name of the variant.'),
        cells: count('Cells that would run on it.'),
        estimateSeconds: z.number().describe('What these will take, in seconds.'),
      }),
    )
    .describe('In the order in which they would run.'),
  skipped: z
    .array(
      listSchema.shape.skipped.element
        .omit({ address: true })
        .extend({ cells: count('Cells that it refuses.') }),
    )
    .describe('Each rule that refuses cells.'),
  totals: listSchema.shape.totals,
  estimates: listSchema.shape.estimates,
});

/** `whodunit new --json` */
export const newSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  files: z.array(z.string()).describe('Files that were written, from the working directory.'),
});

/** `whodunit init --json` */
export const initSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  folder: z.string().describe('The folder that is a project now.'),
  files: z.array(z.string()).describe('Files that were written, from the working directory.'),
  kept: z.array(z.string()).describe('Files that were there already.'),
});

/** What a verb prints on standard output when it fails with `--json`. */
export const errorSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  error: z
    .strictObject({
      code: z.string().describe('Decide by this: docs/errors.md lists all of them.'),
      exitCode: z.number().int().describe('Exit code of the process.'),
      message: z.string().describe('What failed.'),
      lastSeen: z.string().optional().describe('What was seen last.'),
      tryNext: z.string().optional().describe('What to try.'),
      log: z.string().optional().describe('A file that says more.'),
      problems: z
        .array(
          z.strictObject({
            file: z.string().describe('Which file.'),
            line: z.number().int().optional().describe('Where the field begins; absent for a whole file.'),
            column: z.number().int().optional().describe('Where in that line.'),
            path: z.string().describe('Where in it; empty for all of it.'),
            expected: z.string().describe('What should be there.'),
            received: z.string().describe('What is there.'),
            nearest: z.string().optional().describe('The nearest name that is known.'),
          }),
        )
        .optional()
        .describe('Of LAB_CONFIG: every problem of every file.'),
    })
    .describe('The error.'),
});

export type VersionResult = z.infer<typeof versionSchema>;
export type HelpResult = z.infer<typeof helpSchema>;
export type ExportResult = z.infer<typeof exportSchema>;
export type UpResult = z.infer<typeof upSchema>;
export type DownResult = z.infer<typeof downSchema>;
export type GcResult = z.infer<typeof gcSchema>;
export type BakeResult = z.infer<typeof bakeSchema>;
export type LockResult = z.infer<typeof lockSchema>;
export type WhyResult = z.infer<typeof whySchema>;
export type StatusResult = z.infer<typeof statusSchema>;
export type RunsResult = z.infer<typeof runsSchema>;
export type ScenariosResult = z.infer<typeof scenariosSchema>;
export type KillersResult = z.infer<typeof killersSchema>;
export type ExplainResult = z.infer<typeof explainSchema>;
export type ListSummary = z.infer<typeof listSummarySchema>;
export type InitResult = z.infer<typeof initSchema>;
export type NewResult = z.infer<typeof newSchema>;
export type ErrorResult = z.infer<typeof errorSchema>;
