/** Families of killers: who acts. */
export const FAMILIES = {
  kernel: 'the kernel',
  /** The machine, or a service of it that watches memory. */
  node: 'the node',
  kubelet: 'the kubelet',
  /** The kubelet does what somebody asked for through the API. */
  api: 'the API',
  runtime: 'the runtime',
  /** Somebody on the node or in another pod. */
  outsider: 'an outsider',
  program: 'the program',
  nobody: 'nobody',
} as const;

/** A family of killers. */
type Family = keyof typeof FAMILIES;

/** One way of a killer. */
export interface HowRow {
  /** What the way is, when its name does not say so; Markdown. */
  readonly says?: string;
  /** Its own advice, where the killer's does not fit. */
  readonly advice?: string;
}

/** Everything about one killer: lists, docs, schemas and advice derive from it. */
export interface KillerRow {
  readonly family: Family;
  /** Its ways, in the order of printing. */
  readonly hows: Readonly<Record<string, HowRow>>;
  /** What proves it, in one sentence of Markdown. */
  readonly proof: string;
  /** What the person on call may do about it. */
  readonly advice: string;
  /** The kernel's OOM killer did it, so a layer that says "OOM" is right. */
  readonly oom?: true;
  /** Whether the kubelet stopped the container because somebody asked: then its events tell of it. */
  readonly requested?: true;
  /** What it did to the container; `ended` where nobody killed. */
  readonly verb: 'killed' | 'ended';
}
