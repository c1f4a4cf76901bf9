import type { Attribution, Claim, Mismatch } from '../model/formats.ts';
import { LAYERS, type Verdict } from '../model/killers.ts';
import type { CellRecord, Observation } from '../model/observation.ts';
import { attribute } from './attribute.ts';
import { openCase, type CaseFile } from './case-file.ts';
import { collectClaims } from './claims.ts';
import { findLosses } from './completeness.ts';
import { findMismatches } from './expectations.ts';
import type { Finding } from './finding.ts';
import { findUnreadLimit } from './limit.ts';
import { findPressure } from './pressure.ts';
import { findStarvation } from './starvation.ts';

/** All that the judge says about one cell. */
export interface Judgement {
  readonly attribution: Attribution;
  readonly claims: Claim[];
  readonly mismatches: Mismatch[];
  readonly verdict: Verdict;
  /** Why there is no verdict. */
  readonly note?: string;
}

/**
 * Judges one cell from its saved evidence alone.
 *
 * @param observations as `readEvidence` returns them, sorted by time.
 */
export function judgeCell(record: CellRecord, observations: readonly Observation[]): Judgement {
  const file = openCase(record, observations);
  if (file === undefined) return judgeWithoutVictim(record, observations);
  const finding = attribute(file);
  const attribution: Attribution = {
    killer: finding.killer,
    ...(finding.level === undefined ? {} : { level: finding.level }),
    ...(finding.how === undefined ? {} : { how: finding.how }),
    ...(finding.process === undefined ? {} : { process: finding.process }),
    victim: describeVictim(file, finding),
    confidence: finding.confidence,
    because: [...finding.because],
  };
  const claims = collectClaims(file, finding);
  const undecided = findUndecided(file, finding) ?? findPressure(record, observations);
  if (record.interrupted !== undefined) {
    return { attribution, claims, mismatches: [], verdict: 'interrupted', note: record.interrupted };
  }
  if (undecided !== undefined)
    return { attribution, claims, mismatches: [], verdict: 'inconclusive', note: undecided };
  const mismatches = findMismatches(file, finding);
  const unseen = findStarvation(file, finding, mismatches) ?? findUnseen(file, mismatches);
  if (unseen !== undefined)
    return { attribution, claims, mismatches: [], verdict: 'inconclusive', note: unseen };
  return { attribution, claims, mismatches, verdict: mismatches.length === 0 ? 'passed' : 'failed' };
}

/** Why no verdict can be given: the killer is unknown, or something decisive was lost. */
function findUndecided(file: CaseFile, finding: Finding): string | undefined {
  if (file.record.broken !== undefined) return file.record.broken;
  if (finding.killer === 'unknown') return finding.note ?? 'the killer is unknown';
  const losses = findLosses(file, finding.decisive);
  if (losses.length > 0)
    return [...new Set(losses.map((each) => `${each.ref.file}: ${each.why}`))].join('; ');
  if (
    file.record.expected.level !== undefined &&
    finding.killer === 'memcg-oom' &&
    finding.level === undefined
  ) {
    return 'the cgroup whose limit was hit is not known';
  }
  const { how, victim, killer, or = [] } = file.record.expected;
  if (killer === finding.killer) {
    if (how !== undefined && finding.how === undefined) return 'how the killer did it is not known';
    if (victim !== undefined && finding.process === undefined) return 'which process died is not known';
  }
  if (finding.how === undefined && or.some((each) => each.killer === finding.killer))
    return 'how the killer did it is not known';
  return finding.killer === 'none' ? findUnreadLimit(file) : undefined;
}

/** What only the API tells: it did not say that it was otherwise when it said nothing, or when we missed its words. */
const TOLD_BY_API: readonly string[] = ['reason', 'exitCode', 'then'];

/** Why a mismatch may be ours: the API's part of the evidence is missing. */
function findUnseen(file: CaseFile, mismatches: readonly Mismatch[]): string | undefined {
  const told = mismatches.filter((each) => TOLD_BY_API.includes(each.field));
  if (told.length === 0) return undefined;
  const losses = findLosses(file, ['pods']).map((each) => `${each.ref.file}: ${each.why}`);
  if (losses.length > 0) return [...new Set(losses)].join('; ');
  const needsEnd = told.some((each) => each.field !== 'then');
  return file.end?.exitCode === undefined && needsEnd
    ? 'the API never said how the container ended'
    : undefined;
}

function judgeWithoutVictim(record: CellRecord, observations: readonly Observation[]): Judgement {
  const { namespace, selector } = record.victim;
  const lost = observations
    .filter((each) => each.kind === 'lost' && each.source === 'pods')
    .map((each) => each.ref.text);
  const note = lost.length > 0 ? lost.join('; ') : `no pod in ${namespace} matches ${selector}`;
  return {
    attribution: {
      killer: 'unknown',
      victim: `${namespace}/${selector}`,
      confidence: 'none',
      because: [],
    },
    claims: LAYERS.map((layer) => ({ layer, says: 'no victim', agrees: null })),
    mismatches: [],
    verdict: record.interrupted === undefined ? 'inconclusive' : 'interrupted',
    note: record.interrupted ?? record.broken ?? note,
  };
}

function describeVictim(file: CaseFile, finding: Finding): string {
  const process = finding.pid ?? file.init;
  const name = `${file.pod.name}/${file.record.victim.container}`;
  return process === undefined ? name : `${name} pid ${process.pid} (${process.comm})`;
}
