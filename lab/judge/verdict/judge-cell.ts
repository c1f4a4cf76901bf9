import type { Mismatch } from '../../model/saved/formats.ts';
import { isRequested, LAYERS } from '../../model/killers/killers.ts';
import type { CellRecord, Observation } from '../../model/evidence/observation.ts';
import { judgeBug } from './judge-bug.ts';
import type { CellCase } from '../case/case-file.ts';
import { isOutcomeField, OUTCOME_FIELDS } from '../../model/declared/outcome-fields.ts';
import { openCase, openCaseOfVictim } from '../case/open-case.ts';
import type { Conclusion } from '../killer/conclusion.ts';
import { compareKillCounts } from '../case/kill-counts.ts';
import { describeGaps, findGaps } from '../case/coverage.ts';
import type { Judgement } from './judgement.ts';
import { decide, type Weighed } from './decide.ts';
import { findMismatches } from './expectations.ts';
import { drawUp } from './draw-up.ts';
import { judgeMeasures, type Measured } from '../measures/measures.ts';
import { findUnreadLimit } from '../case/pod-memory.ts';
import { listVictimDeaths } from '../case/victim-deaths.ts';
import { indexEvidence, type EvidenceIndex } from '../records/evidence-index.ts';
import { weighUnstarted } from './never-starts.ts';
import { countTries, type Tries } from '../../model/declared/tries.ts';
import { combineTries, type JudgedTry } from './judge-tries.ts';
import { findUnwellBefore, tellProcessKills } from './other-deaths.ts';
import { findPressure } from './pressure.ts';
import { findUnseenKill } from './process-kills.ts';
import { findStarvation } from './starvation.ts';

export type { Judgement } from './judgement.ts';

/**
 * Judges one cell from nothing but its saved evidence.
 *
 * @param observations as `readEvidence` returns them, sorted by time.
 */
export function judgeCell(record: CellRecord, observations: readonly Observation[]): Judgement {
  const index = indexEvidence(observations);
  const judged = judgeOutcome(record, index);
  return judgeBug(record, judged, (expected) => judgeOutcome({ ...record, expected }, index));
}

/** Judges what happened to the victim, whatever bug is known. */
function judgeOutcome(record: CellRecord, index: EvidenceIndex): Judgement {
  const file = openCase(record, index);
  if (file === undefined) return judgeWithoutVictim(record, index);
  const judged = judgeCase(file);
  if (record.tries !== undefined) return judgeTries(record.tries, { file, judged }, index);
  return record.expected.attempt === 'any' ? judgeAny(judged, record, index) : judged;
}

/** The first death that is as expected; where none is, the first of all. */
function judgeAny(first: Judgement, record: CellRecord, index: EvidenceIndex): Judgement {
  if (first.verdict === 'passed') return first;
  for (const victim of listVictimDeaths(record, index).slice(1)) {
    const judged = judgeCase(openCaseOfVictim(record, victim, index));
    if (judged.verdict === 'passed') return judged;
  }
  return first;
}

/** Judges each of many deaths; a victim that nobody has ended is judged as any other. */
function judgeTries(tries: Tries, first: JudgedTry, index: EvidenceIndex): Judgement {
  const { record } = first.file;
  const deaths = listVictimDeaths(record, index).slice(0, countTries(tries));
  if (deaths.length === 0) return first.judged;
  const others = deaths.slice(1).map((victim) => {
    const file = openCaseOfVictim(record, victim, index);
    return { file, judged: judgeCase(file) };
  });
  return combineTries(tries, [first, ...others], record.expected.shares ?? []);
}

/** Judges the death of one case. */
function judgeCase(file: CellCase): Judgement {
  const { record } = file;
  const { conclusion, attribution, claims } = drawUp(file);
  const measured = judgeMeasures(file);
  const judged = {
    attribution,
    claims: [...claims],
    mismatches: [],
    ...(measured.results.length === 0 ? {} : { measures: measured.results }),
  };
  const { neverStarts } = record.expected;
  const weighed =
    neverStarts === undefined ? weighEnd(file, conclusion, measured) : weighUnstarted(file, neverStarts);
  const undecided = weighed.undecided ?? findUnwellBefore(file, weighed.mismatches);
  return { ...judged, ...decide(record, { ...weighed, undecided }) };
}

/** Holds the end of a container against what was expected of it. */
function weighEnd(file: CellCase, conclusion: Conclusion, measured: Measured): Weighed {
  const undecided =
    findUndecided(file, conclusion) ?? findForgedLines(file) ?? findPressure(file.record, file.index);
  if (undecided !== undefined) return { undecided, mismatches: [] };
  const mismatches = [...findMismatches(file, conclusion), ...measured.mismatches];
  const unseen =
    findStarvation(file, conclusion, mismatches) ??
    findUnseen(file, mismatches) ??
    findUnseenKill(file, mismatches);
  return { undecided: unseen, mismatches, open: measured.undecided, note: tellProcessKills(file) };
}

/** Why there is no verdict: the killer is unknown, or a decisive source has a gap. */
function findUndecided(file: CellCase, conclusion: Conclusion): string | undefined {
  if (conclusion.killer === 'unknown') return conclusion.note ?? 'the killer is unknown';
  const gaps = describeGaps(findGaps(file, conclusion.decisive));
  if (gaps !== undefined) return gaps;
  if (
    file.record.expected.level !== undefined &&
    conclusion.killer === 'memcg-oom' &&
    conclusion.level === undefined
  ) {
    return 'the cgroup whose limit was hit is not known';
  }
  const { how, victim, killer, or = [] } = file.record.expected;
  if (killer === conclusion.killer) {
    if (how !== undefined && conclusion.how === undefined) return 'how the killer did it is not known';
    if (victim !== undefined && conclusion.process === undefined) return 'which process died is not known';
  }
  if (conclusion.how === undefined && or.some((end) => end.killer === conclusion.killer))
    return 'how the killer did it is not known';
  if (isRequested(conclusion.killer) && file.first === undefined && !file.cgroups.sandboxed)
    return 'its processes were never seen: nobody can say what ended the first one';
  return conclusion.killer === 'none' ? findUnreadLimit(file) : undefined;
}

/** The kernel's log has more kills than the kernel counted: somebody else writes lines in its name. */
function findForgedLines(file: CellCase): string | undefined {
  const counts = compareKillCounts(file);
  if (counts.state !== 'too-many-lines') return undefined;
  return `void, the kernel log has ${counts.extra} OOM kills more than the kernel counted`;
}

/** Why a mismatch may be the lab's own fault: the API's part of the evidence is missing. */
function findUnseen(file: CellCase, mismatches: readonly Mismatch[]): string | undefined {
  const ofApi = new Set(
    mismatches.map(({ field }) => isOutcomeField(field) && OUTCOME_FIELDS[field].saidByApi),
  );
  const needsEnd = ofApi.has('the end of the container');
  const needsSequel = ofApi.has('what follows it');
  if (!needsEnd && !needsSequel) return undefined;
  // What follows a death comes after the life of the container.
  const to = needsSequel ? Date.parse(file.record.endedAt) : file.to;
  const gaps = describeGaps(findGaps({ ...file, to }, ['pods']));
  if (gaps !== undefined) return gaps;
  return file.end?.exitCode === undefined && needsEnd
    ? 'the API never said how the container ended'
    : undefined;
}

function judgeWithoutVictim(record: CellRecord, index: EvidenceIndex): Judgement {
  const { namespace, selector } = record.victim;
  const lost = index.of('lost').flatMap(({ source, ref }) => (source === 'pods' ? [ref.text] : []));
  const undecided = lost.length > 0 ? lost.join('; ') : `no pod in ${namespace} matches ${selector}`;
  return {
    attribution: {
      killer: 'unknown',
      victim: `${namespace}/${selector}`,
      confidence: 'none',
      because: [],
    },
    claims: LAYERS.map((layer) => ({ layer, says: 'no victim', agrees: null })),
    mismatches: [],
    ...decide(record, { undecided, mismatches: [] }),
  };
}
