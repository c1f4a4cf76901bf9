import { stringify } from 'yaml';
import { WORKLOADS_IMAGE } from '../image/container-images.ts';
import { knowsAddonPatches } from './releases.ts';

/** Where the patches of `renderPatches` lie in the guest. */
export const PATCHES_DIR = '/etc/kubernetes/patches';

/**
 * Files for kubeadm's patch folder by name; kubeadm applies them to what it is about to create.
 *
 * @param apiAddress where the API server listens, reachable from every pod.
 */
export function renderPatches(kubernetes: string, apiAddress: string): Record<string, string> {
  return {
    'kube-controller-manager+strategic.yaml': stringify(awaitApi()),
    ...(knowsAddonPatches(kubernetes)
      ? { 'corednsdeployment+strategic.yaml': stringify(oneQuickReplica(apiAddress)) }
      : {}),
  };
}

/**
 * The controller manager starts once the API is healthy. It gives up ten seconds after its own start when the API is
 * not (`WaitForAPIServer` in `cmd/kube-controller-manager/app/controllermanager.go`, 1.22 to 1.36), which under emulation
 * it never is, and is then started again after a pause, by which the whole cluster comes up later.
 */
function awaitApi(): unknown {
  return {
    spec: {
      initContainers: [
        {
          name: 'await-api',
          image: WORKLOADS_IMAGE,
          imagePullPolicy: 'Never',
          command: ['/bin/await-api', '--wait', '10m', 'https://127.0.0.1:6443/healthz'],
        },
      ],
    },
  };
}

/**
 * Two replicas on one node serve nobody, and a look every ten seconds costs a new cluster up to ten. CoreDNS asks the API
 * server itself, not its service: a connection that it opens before kube-proxy has written its rules is lost without an
 * answer, and only a timeout later there is another one.
 */
function oneQuickReplica(apiAddress: string): unknown {
  const readinessProbe = { periodSeconds: 1, failureThreshold: 30 };
  const env = [
    { name: 'KUBERNETES_SERVICE_HOST', value: apiAddress },
    { name: 'KUBERNETES_SERVICE_PORT', value: '6443' },
  ];
  const containers = [{ name: 'coredns', env, readinessProbe }];
  return { spec: { replicas: 1, template: { spec: { containers } } } };
}
