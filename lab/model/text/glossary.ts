/** A word of the lab, or of the field, that no other table explains. */
export interface Term {
  readonly names: readonly string[];
  readonly kind: 'word' | 'reason' | 'confidence' | 'file of the kernel';
  /** What it means, a fact each; Markdown. */
  readonly says: readonly string[];
  /** A page of the docs, where more is said. */
  readonly source: string;
}

/** Words that `whodunit explain` knows; those of tables (killers, axes, errors, files of evidence …) are explained there. */
export const GLOSSARY: readonly Term[] = [
  {
    names: ['scenario'],
    kind: 'word',
    says: ['a way to kill a pod: what is deployed, what happens to it, and who must be found'],
    source: 'docs/writing-a-scenario.md',
  },
  {
    names: ['variant'],
    kind: 'word',
    says: ['a configuration of the cluster: one value on every axis (cgroup version, runtime, drivers, …)'],
    source: 'docs/matrix.md',
  },
  {
    names: ['axis', 'axes'],
    kind: 'word',
    says: ['one thing in which clusters differ, such as `cgroup` or `kubernetes`'],
    source: 'docs/matrix.md',
  },
  {
    names: ['parameter'],
    kind: 'word',
    says: ['one thing that varies in the workload of a scenario, such as `limit=64Mi`'],
    source: 'docs/writing-a-scenario.md',
  },
  {
    names: ['cell', 'address'],
    kind: 'word',
    says: [
      'one scenario on one variant',
      'its address is `<variant>/<scenario>`, with `[name=value]` behind it for parameters that are not at their default',
    ],
    source: 'README.md#selectors',
  },
  {
    names: ['world'],
    kind: 'word',
    says: ['the cluster of one variant, in virtual machines on this machine', 'npx whodunit list worlds'],
    source: 'docs/run-folder.md',
  },
  {
    names: ['set', 'selector'],
    kind: 'word',
    says: [
      'words that choose cells; a set is such a choice with a name, in matrix.yaml',
      'npx whodunit help list',
    ],
    source: 'README.md#selectors',
  },
  {
    names: ['verdict'],
    kind: 'word',
    says: ['whether a cell ended as its scenario demands: `passed`, `failed`, `inconclusive` or `skipped`'],
    source: 'docs/verdicts.md',
  },
  {
    names: ['inconclusive', 'unknown'],
    kind: 'word',
    says: [
      'the evidence does not prove a killer: the killer is `unknown` and the verdict `inconclusive`, neither passed nor failed',
    ],
    source: 'docs/verdicts.md',
  },
  {
    names: ['claim'],
    kind: 'word',
    says: ['what one layer (kernel, cgroup, runtime, kubelet, API) says of the end; it may be wrong'],
    source: 'docs/verdicts.md',
  },
  {
    names: ['witness'],
    kind: 'word',
    says: ['a small program on the node that watches cgroups and traces signals; it writes `witness.jsonl`'],
    source: 'docs/run-folder.md',
  },
  {
    names: ['evidence'],
    kind: 'word',
    says: [
      'the folder with all that was saved of a cell; a verdict can be made of it again: `whodunit judge`',
    ],
    source: 'docs/run-folder.md',
  },
  {
    names: ['victim'],
    kind: 'word',
    says: ['the container whose first process ended; the killer is who ended that process'],
    source: 'docs/verdicts.md',
  },
  {
    names: ['proven'],
    kind: 'confidence',
    says: [
      'independent sources agree, the deciding sources have no gap, and nothing is left unexplained',
      'otherwise it is `likely`, and `doubt` says what is missing',
    ],
    source: 'docs/verdicts.md',
  },
  {
    names: ['likely', 'doubt'],
    kind: 'confidence',
    says: ['the killer is named, and something is missing for a proof: `doubt` says what'],
    source: 'docs/verdicts.md',
  },
  {
    names: ['Evicted'],
    kind: 'reason',
    says: ['the reason of a pod that the kubelet has ended because its node ran out of something'],
    source: 'docs/verdicts.md',
  },
];
