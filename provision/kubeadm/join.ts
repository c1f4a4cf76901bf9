import { stringify } from 'yaml';
import { InternalError } from '../../lab/model/errors/errors.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';
import { formatGoDuration } from '../../lab/model/text/format-duration.ts';
import { kubeletArguments } from './config.ts';
import { kubeadmApiVersion } from './releases.ts';

/** How a worker finds the control plane and proves that it may join. */
export interface JoinTicket {
  /** `10.99.0.1:6443`. */
  readonly endpoint: string;
  readonly token: string;
  /** `sha256:<64 hex>` of the cluster's CA key, so that the worker trusts nobody else. */
  readonly caCertHash: string;
}

/** What `kubeadm join` of one worker needs to know. */
export interface JoinConfigInput {
  /** Exact version without `v`: 1.34.2. */
  readonly kubernetes: string;
  readonly nodeName: string;
  readonly nodeAddress: string;
  readonly ticket: JoinTicket;
}

/** Prints the words that `parseJoinCommand` reads; run on the control plane. */
export const CREATE_TICKET =
  'kubeadm token create --kubeconfig /etc/kubernetes/admin.conf --ttl 2h --print-join-command';

/**
 * Reads what `kubeadm token create --print-join-command` printed.
 * Source: `joinCommandTemplate` in kubeadm's `cmd/kubeadm/app/cmd/util/join.go`, the same since 1.9.
 */
export function parseJoinCommand(text: string): JoinTicket {
  const found =
    /kubeadm join (\S+) --token ([a-z0-9]{6}\.[a-z0-9]{16})\s.*--discovery-token-ca-cert-hash (sha256:[0-9a-f]{64})/s.exec(
      text,
    );
  const [, endpoint = '', token = '', caCertHash = ''] = found ?? [];
  if (found === null) throw new InternalError(`kubeadm printed no join command: ${text.trim().slice(-300)}`);
  return { endpoint, token, caCertHash };
}

/** Renders the configuration file for `kubeadm join` of a worker. The kubelet's settings come from the cluster. */
export function renderJoinConfig(input: JoinConfigInput): string {
  const api = kubeadmApiVersion(input.kubernetes);
  const args = kubeletArguments(input.nodeAddress);
  const { endpoint, token, caCertHash } = input.ticket;
  return stringify({
    apiVersion: `kubeadm.k8s.io/${api}`,
    kind: 'JoinConfiguration',
    discovery: {
      bootstrapToken: { apiServerEndpoint: endpoint, token, caCertHashes: [caCertHash] },
      ...(api === 'v1beta3' ? { timeout: formatGoDuration(TIME_LIMITS.cluster.discovery.ms) } : {}),
    },
    nodeRegistration: {
      name: input.nodeName,
      criSocket: 'unix:///run/containerd/containerd.sock',
      imagePullPolicy: 'Never',
      taints: [],
      kubeletExtraArgs:
        api === 'v1beta4' ? Object.entries(args).map(([name, value]) => ({ name, value })) : args,
    },
    ...(api === 'v1beta4'
      ? {
          timeouts: {
            discovery: formatGoDuration(TIME_LIMITS.cluster.discovery.ms),
            tlsBootstrap: formatGoDuration(TIME_LIMITS.cluster.tlsBootstrap.ms),
          },
        }
      : {}),
  });
}
