import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { exportLines, shellQuote } from '../../../lab/model/text/shell.ts';
import type { GuestStep } from '../../../provision/guest/steps.ts';
import type { NodeFile } from '../../../lab/world/recipe/node-files.ts';

const HEAD = `#!/bin/bash\nset -euo pipefail\nexport KUBECONFIG=/etc/kubernetes/admin.conf\n`;
const WAIT = '--timeout=10m';

/** A script that makes a cluster of a booted node as the lab does it, and ends when the cluster takes pods. */
export function renderClusterScript(
  files: readonly NodeFile[],
  steps: readonly GuestStep[],
  variables: Readonly<Record<string, string>>,
): string {
  const writing = files.map(
    ({ path, text }) => `mkdir -p ${dirname(path)}\nprintf %s ${shellQuote(text)} > ${path}\n`,
  );
  // A step is a program of its own in the lab, too: what it sets ends with it.
  const running = steps.map(({ script }) => `(\n${script})\n`);
  const waiting = [
    `kubectl wait --for=condition=Ready node --all ${WAIT}\n`,
    `kubectl -n kube-system rollout status daemonset/kube-proxy ${WAIT}\n`,
    `kubectl -n kube-system rollout status deployment/coredns ${WAIT}\n`,
  ];
  // The clock of the machine is right: it is set when the script runs, not when it is written.
  const clock = 'export EPOCH=$(date +%s)\n';
  return [HEAD, ...writing, exportLines(variables), clock, ...running, ...waiting].join('');
}

/**
 * A script that lets a pod die and says of what, from what a careful person looks at: the reason that the API gives,
 * and the kernel's log. Ends with 1 when they do not say that it was an OOM kill. A pod of an earlier time is removed.
 */
export function renderJudgeScript(manifests: readonly unknown[]): string {
  const objects = manifests.map((manifest) => stringify(manifest)).join('---\n');
  return `${HEAD}kubectl delete pod --all --now
since=$(date +%s)
printf %s ${shellQuote(objects)} | kubectl apply -f -
until reason=$(kubectl get pod eater -o 'jsonpath={..terminated.reason}') && [ -n "$reason" ]; do sleep 0.5; done
echo "the API says: $reason"
journalctl --dmesg --since "@$since" | grep 'Memory cgroup out of memory'
[[ "$reason" =~ OOMKilled|Error ]]
`;
}
