/** Families of killers: who acts. */
export const FAMILIES = {
  kernel: 'the kernel',
  /** The machine, or a service of it that watches memory. */
  node: 'the node',
  kubelet: 'the kubelet',
  /** The kubelet does what was asked through the API. */
  api: 'the API',
  runtime: 'the runtime',
  /** Somebody on the node, or in another pod, who is none of these. */
  outsider: 'an outsider',
  program: 'the program',
  nobody: 'nobody',
} as const;

/** A family of killers. */
export type Family = keyof typeof FAMILIES;

/** One way of a killer. */
export interface HowRow {
  /** What the way is, when its name does not say it; Markdown. */
  readonly says?: string;
  /** What to do about it, where that is not what the killer's own advice says. */
  readonly advice?: string;
}

/** What is known of one killer: from this its lists, docs, schemas and advice are made. */
export interface KillerRow {
  readonly family: Family;
  /** Its ways, where it has several or has them to itself; in the order in which they are told. */
  readonly hows: Readonly<Record<string, HowRow>>;
  /** What proves it, in one sentence of Markdown. */
  readonly proof: string;
  /** What the person who is on call may do about it. */
  readonly advice: string;
  /** The kernel's OOM killer did it, so a layer that says "OOM" is right. */
  readonly oom?: true;
  /** The kubelet stopped the container because somebody asked for it: its events tell of that. */
  readonly requested?: true;
  /** How its deed is called; `ended` where nobody killed. */
  readonly verb: 'killed' | 'ended';
}
