/** How kubectl calls kinds in a column. */
export const KUBECTL_KINDS: Readonly<Record<string, string>> = {
  pod: 'Pod',
  po: 'Pod',
  pods: 'Pod',
  node: 'Node',
  job: 'Job',
  cronjob: 'CronJob',
  replicaset: 'ReplicaSet',
  deployment: 'Deployment',
  statefulset: 'StatefulSet',
  daemonset: 'DaemonSet',
};
