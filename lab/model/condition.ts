import { z } from 'zod';
import { AXES } from './axes.ts';

/**
 * Conditions over cells, as rules, scenarios and bugs write them: data, so that a reason stands beside each.
 *
 * Each named axis, fact or parameter must match one of its texts. A text is a glob (`*`, `?`), or one or more comparators that
 * must all hold (`'>=1.32'`, `'>=1.28 <1.32'`). Comparators compare the leading version of a value as far as they
 * are written: 1.34.2 is `<=1.34`. `{name}` in a text stands for that axis, fact or parameter of the same cell. What is not
 * known (the version of a local build) matches nothing.
 */

/** What follows from a variant beside its axes. Versions are those that the node will run. */
export const FACTS = [
  /** Version of the booted kernel, `6.1`. */
  'kernelVersion',
  /** Debian suite that the kernel comes from. */
  'kernelSuite',
  'systemdVersion',
  'containerdVersion',
  /** The runc of the control plane, and of workloads unless they run under runsc. */
  'runcVersion',
  /** Release date of runsc, `20230927`; unknown where workloads run under runc. */
  'runscVersion',
  /** The kubelet's cgroup driver in effect: the declared one, or the runtime's where the kubelet asks for it. */
  'kubeletDriver',
  /** The cgroup driver of the container runtime. */
  'runtimeDriver',
  /** Memory of all machines of the world, MiB. */
  'memoryMiB',
  /** Memory of the host, MiB; unknown where nobody asked it. */
  'hostMemoryMiB',
] as const;

/** Name of one fact. */
export type Fact = (typeof FACTS)[number];

/** The facts of a variant; one that is not known is left out. */
export type Facts = Readonly<Partial<Record<Fact, string>>>;

/** What every condition may speak of. */
export const CONDITION_KEYS = [...AXES, ...FACTS] as const;

/** Schema of a condition. Which parameters it may name is known where all files are. */
export const conditionSchema = z
  .record(z.union([z.enum(CONDITION_KEYS), z.string()]), z.array(z.string().min(1)).min(1))
  .describe(
    'Holds for cells whose axes, facts and parameters each match one of the texts: globs, or comparators like ">=1.32".',
  );

/** What is known of a cell beside its axes: facts, and the values of its parameters. */
export type Known = Readonly<Record<string, string | undefined>>;

/** A condition as read. */
export type Condition = z.infer<typeof conditionSchema>;

/** A condition, and what is exempt from it. */
export interface Conditional {
  readonly when: Condition;
  readonly unless?: Condition | undefined;
}
