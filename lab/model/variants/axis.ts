import type { Suite } from './suite.ts';

/** What matrix.yaml declares and facts follow from. */
export interface Declared {
  readonly suites: Readonly<Record<string, Suite>>;
  /** Exact release of each short name of Kubernetes that components.yaml has: `1.34` is 1.34.2. */
  readonly releases?: Readonly<Record<string, string>>;
  /** The memory of one machine. */
  readonly machine: { readonly memoryMiB: number };
  /** What a knob sets in the configuration of the kubelet. */
  readonly knobs?: Readonly<
    Record<string, { readonly kubelet?: Readonly<Record<string, unknown>> | undefined }>
  >;
}

/** The value of a variant on an axis, as that axis reads it. */
export type ReadValue = <Value>(axis: AxisDefinition<string, Value, string>) => Value;

/**
 * Derives a fact of a variant; undefined when it cannot be known before the world is there.
 *
 * @param read the values of the variant.
 */
type DeriveFact = (read: ReadValue, declared: Declared) => string | undefined;

/** One axis: everything about its values, except which of them matrix.yaml names. */
export interface AxisDefinition<Name extends string, Value, FactName extends string = never> {
  readonly name: Name;
  /** The default, as it is written. A saved variant without the axis has this value, so it must change nothing. */
  readonly defaultValue: string;
  /**
   * Written before the value in the name of a variant, where the value without it may be one of another axis:
   * `containerd-1.7.27`.
   */
  readonly namePrefix?: string;
  /** Facts that conditions may name in addition to the value itself. */
  readonly facts: Readonly<Record<FactName, DeriveFact>>;
  /**
   * The value that a saved world has on this axis which is taken to a world of the given value, as it is written; that
   * value itself where there is no such world. Absent: matrix.yaml says whether it is the default value.
   */
  base?(value: Value): string;
  /**
   * Reads a value as it is written.
   *
   * @throws UsageError for any other text.
   */
  parse(written: string): Value;
  /** The components that a node of this value has: name → version, as `resolveVersion` takes it. */
  components?(value: Value): Readonly<Record<string, string>>;
}
