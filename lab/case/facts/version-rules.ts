import { words, type FactRule } from './fact-rule.ts';

/** `v1.30.4-gke.100`, `1.28`, `v1.31.2+k3s1`: a release of Kubernetes, and what its vendor added. */
const RELEASE = String.raw`v?(1\.\d{1,2}(?:\.\d+)?(?:[-+][\w.-]*\w)?)`;
const VERSION = String.raw`v?(\d+\.\d+(?:\.\d+)?(?:[-~+][\w.~+-]*\w)?)`;

/** How versions of programs are known. */
export const VERSION_RULES: readonly FactRule[] = [
  {
    name: 'kubernetes',
    role: 'client',
    words: words(`Client Version:?\\s*(?:version\\.Info\\{.*?GitVersion:")?${RELEASE}`),
  },
  { name: 'kubernetes', words: words(`Server Version:?\\s*(?:version\\.Info\\{.*?GitVersion:")?${RELEASE}`) },
  { name: 'kubernetes', words: words(`\\bKubernetes version\\b[^\\n]{0,60}\\bGitVersion:\\s*"?${RELEASE}`) },
  { name: 'kubernetes', words: words(`kubelet\\s?Version"?:?\\s*"?${RELEASE}`) },
  {
    name: 'kubernetes',
    words: words(
      `(?:Kubernetes|k8s|kubelet|kubeadm|EKS|GKE|AKS|OKE)(?:[-_]?(?:server|cluster|node|version)s?)?(?:\\s+(?:server|cluster|node|control plane))?(?:\\s+versions?)?(?:\\s+(?:is|of|at|running))?[\\s:=("*\`-]*${RELEASE}(?![\\d.]*%)`,
    ),
  },
  { name: 'kubernetes', words: words(`\\bReady(?:,\\S+)?\\s+\\S+\\s+\\d+[smhdy]\\w*\\s+${RELEASE}`) },
  {
    name: 'kubernetes',
    words: words(`(?<!\\b(?:backport|cherry-?pick)\\w*(?: (?:of|to))? )\\brelease-(1\\.(?:[12]\\d|3\\d))\\b`),
  },
  {
    name: 'kubernetes',
    words: words(`\\b${RELEASE}`),
    below: /(?:kubernetes|k8s|cluster|server)\s+version|version of k/i,
  },
  {
    name: 'kubernetes',
    words: words(`\\bv?(1\\.\\d{2}\\.\\d+[-+](?:gke|eks|k3s|rke2r?|aks|vmware|tkg|k0s)[\\w.-]*\\w)`),
  },
  {
    name: 'kubernetes',
    words: words(`\\bv(1\\.(?:2\\d|3\\d)(?:\\.\\d+)?)\\b(?![\\w.]*\\/)`),
    isBare: true,
    below: /^(?!.*(?:containerd|runc|runtime|cri-o|kernel|os version|docker|plugin|tool))/i,
  },
  { name: 'containerd', words: words(`containerd:\\/\\/${VERSION}`) },
  // In prose a release is named by its number only; programs whose numbers are alike are named right before it.
  {
    name: 'kubernetes',
    words: words(
      `(?<!\\b(?:golang|istio|helm|cilium|calico|nginx|docker|containerd|runc|crun|cri-?o|etcd|java|python|node\\.js)\\b(?:[^.;\\n]|\\.\\d){0,40})(?:from|to|on|in|since|versions?|with|at|before|after|works?|prior to)\\s+v?(1\\.(?:1[5-9]|2\\d|3\\d)(?:\\.\\d{1,2})?)\\b(?![\\w.]*\\/)`,
    ),
  },
  {
    name: 'containerd',
    words: words(
      `containerd(?:\\.io)?(?:\\s+(?:github\\.com\\/containerd\\/containerd(?:\\/v2)?|containerd\\.io))?(?:\\s+versions?)?(?:\\s+(?:from|is|was))?[-\\s:=(]*${VERSION}`,
    ),
  },
  { name: 'runc', words: words(`runc(?:\\s+versions?)?(?:\\s+(?:from|is|was))?[-\\s:=(]*${VERSION}`) },
  { name: 'crun', words: words(`crun(?:\\s+versions?)?(?:\\s+(?:from|is|was))?[-\\s:=(]*${VERSION}`) },
  { name: 'runsc', words: words(`(?:runsc|gvisor)[^\\n]{0,30}?release-(\\d{8}(?:\\.\\d+)?)`) },
  { name: 'cri-o', words: words(`cri-?o:\\/\\/${VERSION}`) },
  { name: 'cri-o', words: words(`cri-?o(?:\\s+versions?)?(?:\\s+(?:from|is|was))?[-\\s:=(]*${VERSION}`) },
  { name: 'docker', words: words(`docker:\\/\\/${VERSION}`) },
  {
    name: 'docker',
    words: words(`Docker(?: Engine| daemon)?(?:\\s+running)?[\\s:=(]*(?:versions?)?[\\s:=("'\`]*${VERSION}`),
  },
  { name: 'kernel', words: words(`\\bLinux\\s+(?!kernel)[\\w.-]+\\s+(\\d+\\.\\d+\\.\\d+[\\w.+~-]*)\\s+#`) },
  { name: 'kernel', words: words(`Linux version (\\d+\\.\\d+[\\w.+~-]*)`) },
  {
    name: 'kernel',
    words: words(
      `kernels?\\s?(?:Version)?"?(?:\\s+(?:is|of))?[\\s:=("v\`]*(\\d+\\.\\d+(?:\\.\\d+)?[\\w.+~-]*)`,
    ),
  },
  {
    name: 'kernel',
    // A word before it that is not a small one makes it the name of a distribution: `Rocky Linux 8.6`.
    words: words(
      `(?<!\\b(?!(?:on|of|under|in|with|and|for|is|a|the|our|my|runs?|running|uses?|using|mainline|upstream|kernel)\\s)[\\w-]+\\s|GNU\\/)\\bLinux\\s+(?:kernel\\s+)?(?:versions?\\s+)?(\\d+\\.\\d+(?:\\.\\d+)?)\\b`,
    ),
  },
  {
    name: 'kernel',
    words: words(
      `\\b([3-7]\\.\\d+\\.\\d+-[\\w.]*(?:-?(?:generic|aws|azure|gke|gcp|cloud-amd64|amd64|oracle|talos|flatcar|lts|cos)|el\\d\\w*|amzn\\d+|fc\\d+)[\\w.]*)`,
    ),
  },
  {
    name: 'systemd',
    words: words(`systemd(?:\\s+versions?)?[\\s:=(-]+v?(\\d{3})\\b(?!\\s+or (?:later|newer))`),
  },
];
