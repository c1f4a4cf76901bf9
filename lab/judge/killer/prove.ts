import {
  EVIDENCE_FILES,
  EVIDENCE_SOURCES,
  evidencePath,
  MAX_PARTS,
} from '../../model/evidence/observation.ts';
import type { EvidenceSource } from '../../model/evidence/observation.ts';
import type { Proof } from '../../model/saved/proof.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { Source } from '../case/coverage.ts';
import type { Attributed, Excluded } from './attribute.ts';
import { orderLinks } from './conclusion.ts';
import { listDecisive } from './confidence.ts';
import { createCiter } from './says.ts';

/** The verdict as data: what `whodunit check` needs to find it again in the raw files, without the judge. */
export function prove(file: CaseFile, { conclusion, final, grounds }: Attributed): Proof {
  const cite = createCiter(file);
  const { pod, uids, node, containerId, record } = file;
  const isoOf = (at: number): string => new Date(at).toISOString();
  const decisive = listDecisive(file, conclusion);
  const life = { from: isoOf(file.from), to: isoOf(file.to) };
  return {
    victim: {
      namespace: pod.namespace,
      pod: pod.name,
      uids: [...uids],
      container: record.victim.container,
      containerId,
      ...(node === undefined ? {} : { node }),
      ...(file.init === undefined ? {} : { first: cite(file.init.ref) }),
    },
    life,
    ...(final === undefined
      ? {}
      : { act: { act: final.act, ...(final.ref === undefined ? {} : { by: cite(final.ref) }) } }),
    decisive,
    links: orderLinks(conclusion).map(({ step, ref }) => ({ step, ...cite(ref) })),
    exclusions: grounds.map((excluded) => excludeOf(excluded, cite)),
    silences: listSilences(grounds, decisive).map(({ source, about }) => ({
      source,
      files: filesOf(file, source),
      ...life,
      about,
    })),
  };
}

function excludeOf(
  { hypothesis, ground }: Excluded,
  cite: ReturnType<typeof createCiter>,
): Proof['exclusions'][number] {
  const excluded = { hypothesis: hypothesis.what, ground: ground.ground };
  if (ground.ground === 'record') return { ...excluded, records: ground.records.map(cite) };
  return ground.ground === 'silence' ? { ...excluded, sources: [...ground.sources] } : excluded;
}

/** Each source whose silence counts, and for which hypotheses. */
function listSilences(
  grounds: readonly Excluded[],
  decisive: readonly Source[],
): { source: Source; about: string[] }[] {
  const counted = grounds.flatMap(({ hypothesis, ground }) =>
    ground.ground === 'silence' ? ground.sources.map((source) => ({ source, about: hypothesis.what })) : [],
  );
  const sources = new Set([...decisive, ...counted.map(({ source }) => source)]);
  return [...sources].map((source) => ({
    source,
    about: counted.filter((silence) => silence.source === source).map(({ about }) => about),
  }));
}

/** The witness has two sources in one file. */
const IN_WITNESS: readonly Source[] = ['cgroup', 'trace'];

function filesOf({ index, node }: CaseFile, source: Source): string[] {
  const name = IN_WITNESS.includes(source) ? 'witness' : source;
  if (!isSource(name)) return [];
  const [first = '', ...later] = Array.from({ length: MAX_PARTS }, (_, part) =>
    evidencePath(name, node, part + 1),
  );
  // A log without anything of interest is cited nowhere.
  const begun = EVIDENCE_FILES[name].optional && !index.files.has(first) ? [] : [first];
  return [...begun, ...later.filter((path) => index.files.has(path))];
}

function isSource(name: string): name is EvidenceSource {
  return (EVIDENCE_SOURCES as readonly string[]).includes(name);
}
