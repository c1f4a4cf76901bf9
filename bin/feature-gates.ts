/**
 * Writes the feature gates that a kubelet knows, release by release, into provision/kubernetes-api/feature-gates.json:
 * `npx tsx bin/feature-gates.ts <folder of the module k8s.io/kubernetes>...`, after
 * `go mod download k8s.io/kubernetes@v1.38.0 k8s.io/apiserver@v0.38.0 k8s.io/component-base@v0.38.0
 * k8s.io/client-go@v0.38.0`. A folder is named `kubernetes@v<release>`, and the other modules are beside it. It replaces what
 * is known of its minor release. The programs of the control plane register the same gates as the kubelet, which has the
 * library of the API server in it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { compareVersions } from '../lab/model/components/components.ts';
import { FEATURE_GATES_FILE, type FeatureGates } from '../lab/model/components/kubernetes-definitions.ts';

const FILE = join(import.meta.dirname, '..', FEATURE_GATES_FILE);

/** `MemoryQoS featuregate.Feature = "MemoryQoS"` */
const DECLARED = /^\t\w+ +(?:featuregate\.)?Feature = "(\w+)"/gm;
/** `genericfeatures.APIListChunking: {`, a gate of another module that the kubelet takes over. */
const TAKEN_OVER = /^\t\w+features\.(\w+): +\{/gm;

/** The Go files of a release that declare gates, as text. */
function readSources(folder: string): string[] {
  const [, minor = '', patch = ''] = /@v1\.(\d+)\.(\d+)$/.exec(basename(folder)) ?? [];
  if (minor === '') throw new Error(`${folder} is not named kubernetes@v<release>`);
  const beside = (module: string, file: string): string =>
    join(dirname(folder), `${module}@v0.${minor}.${patch}`, file);
  const features = join(folder, 'pkg/features');
  const own = readdirSync(features)
    .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'))
    .map((name) => join(features, name));
  const others = [
    beside('apiserver', 'pkg/features/kube_features.go'),
    beside('component-base', 'featuregate/feature_gate.go'),
    beside('component-base', 'logs/kube_features.go'),
    beside('component-base', 'logs/api/v1/kube_features.go'),
    beside('client-go', 'features/known_features.go'),
  ];
  return [...own, ...others.filter((file) => existsSync(file))].map((file) => readFileSync(file, 'utf8'));
}

const gates = new Map<string, Set<string>>();
const saved = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as FeatureGates) : {};
const folders = process.argv.slice(2);
const replaced = folders.map((folder) => /@v(\d+\.\d+)/.exec(folder)?.[1] ?? '');
const add = (gate: string, release: string): void => {
  gates.set(gate, (gates.get(gate) ?? new Set()).add(release));
};
for (const [gate, releases] of Object.entries(saved))
  for (const release of releases) if (!replaced.includes(release)) add(gate, release);
for (const [index, folder] of folders.entries())
  for (const source of readSources(folder))
    for (const pattern of [DECLARED, TAKEN_OVER])
      for (const [, gate = ''] of source.matchAll(pattern)) add(gate, replaced[index] ?? '');
const lines = [...gates]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(
    ([gate, releases]) => `${JSON.stringify(gate)}:${JSON.stringify([...releases].sort(compareVersions))}`,
  );
writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
