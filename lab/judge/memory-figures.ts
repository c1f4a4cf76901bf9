import type { Attribution, EvidenceRef } from '../model/formats.ts';
import type { CgroupValues } from '../model/observation.ts';
import type { CaseFile } from './case-file.ts';
import { isOfPods, levelOf } from './levels.ts';
import { LIMIT_FILES, readPodMemory, UNLIMITED, USED_FILES } from './pod-memory.ts';

interface Reading {
  readonly bytes: number;
  readonly ref: EvidenceRef;
}

/**
 * Memory beside its limit, for a reader: both of one cgroup, the one whose limit was hit, else the innermost that has a
 * limit, else the container's. Nothing when neither was read.
 */
export function readMemoryFigures(file: CaseFile): Pick<Attribution, 'figures'> {
  const { used, limit } = file.cgroups.sandboxed ? readPodMemory(file) : readOwn(file);
  if (used === undefined && limit === undefined) return {};
  return {
    figures: {
      ...(limit === undefined ? {} : { limitBytes: limit.bytes }),
      ...(used === undefined ? {} : { peakBytes: used.bytes }),
      because: [used?.ref, limit?.ref].filter((each) => each !== undefined),
    },
  };
}

interface Figures {
  readonly used: Reading | undefined;
  readonly limit: Reading | undefined;
}

function readOwn(file: CaseFile): Figures {
  const values = file.index
    .of('cgroup-values')
    .filter((each) => each.node === file.node && isOfPods(each.path, file.uids));
  const hit = file.oom.context?.oomMemcg;
  const own = values.find((each) => file.cgroups.holds(each.path))?.path;
  const pod = values.find((each) => levelOf(each.path) === 'pod')?.path;
  const paths = [hit, own, pod].filter((path) => path !== undefined);
  const all = paths.map((path) => readCgroup(values.filter((each) => each.path === path)));
  return (
    all.find((each) => each.limit !== undefined) ?? all.find((each) => each.used !== undefined) ?? NOTHING
  );
}

const NOTHING: Figures = { used: undefined, limit: undefined };

function readCgroup(values: readonly CgroupValues[]): Figures {
  const readings = (names: readonly string[]): Reading[] =>
    values
      .filter((each) => names.includes(each.file) && /^\d+$/.test(each.values[''] ?? ''))
      .map((each) => ({ bytes: Number(each.values['']), ref: each.ref }));
  const limit = readings(LIMIT_FILES).at(-1);
  return {
    used: readings(USED_FILES).reduce<Reading | undefined>(
      (most, each) => (most === undefined || each.bytes > most.bytes ? each : most),
      undefined,
    ),
    limit: limit !== undefined && limit.bytes < UNLIMITED ? limit : undefined,
  };
}
