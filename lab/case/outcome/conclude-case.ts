import { maskMessage } from '../facts/read-symptoms.ts';
import type { Trait } from '../../model/declared/traits.ts';
import type { Observation } from '../../model/evidence/observation.ts';
import type { Killer } from '../../model/killers/killers.ts';
import type { ReproJudgement } from '../../judge/compare/judge-repro.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { CaseTrace, ComparedTrace, TriedCandidate } from '../../model/saved/case.ts';
import { isDeniedBy, isOfWorkload, listContainerEnds, tracesOfObservations } from './traces.ts';

/** What is known of a report, for a comparison with a cell. */
export interface ReportedDeath {
  readonly traces: readonly CaseTrace[];
  /** The killer that the judge names of the report's own logs; undefined when it names none. */
  readonly killer: Killer | undefined;
}

/** A cell that was staged for a report. */
export interface StagedCell {
  readonly candidate: string;
  readonly result: Pick<CellResult, 'address' | 'verdict' | 'note' | 'attribution' | 'startFailure'>;
  readonly observations: readonly Observation[];
  /** Those of its scenario, on its variant. */
  readonly traits: readonly Trait[];
}

/** What the cells of a bug came to by its own bounds, as `repro` says it. */
export interface AnsweredQuestion extends Pick<ReproJudgement, 'outcome' | 'note'> {
  /** Whether the report is one that the bug is about: its own link is a link of the bug. */
  readonly isOwn: boolean;
}

/** A report that says less than this could be of any death. */
const LEAST_TRACES = 2;

/**
 * Holds the traces of a report against those of a cell, and of a neighbour that must not show them. Pure: the same evidence
 * gives the same answer. It is reproduced only if no trace of the report is missing or differs. Where nobody dies, the
 * bounds of the bug must hold as well, on all of its cells.
 */
export function concludeCase(
  reported: ReportedDeath,
  staged: StagedCell,
  neighbour: StagedCell | undefined,
  question?: AnsweredQuestion,
): TriedCandidate {
  const traces = compareTraces(reported.traces, staged);
  const { result } = staged;
  const { killer } = result.attribution;
  const nobodyDies = killer === 'none' || result.startFailure?.expected === true;
  const deciding = nobodyDies ? question : undefined;
  const because =
    deciding === undefined
      ? whyNot(reported, staged, neighbour, traces)
      : whyNotByQuestion(reported, deciding, neighbour, traces);
  const there =
    traces.length === 1
      ? 'the one trace of the report is there'
      : `all ${traces.length} traces of the report are there`;
  const shown =
    deciding === undefined
      ? `${killer}; ${there}, and ${neighbour?.result.address ?? ''} does not show them`
      : `${deciding.note}; ${there}`;
  return {
    candidate: staged.candidate,
    address: result.address,
    outcome: because === undefined ? 'reproduced' : 'not-reproduced',
    because: because ?? shown,
    traces,
    ...(neighbour === undefined ? {} : { neighbour: neighbour.result.address }),
    ...(deciding?.outcome === 'reproduced' ? { bugShown: deciding.note } : {}),
  };
}

/** Compares layer by layer: each trace of the report with what the cell has of the same kind. */
export function compareTraces(
  wanted: readonly CaseTrace[],
  { observations, traits }: Pick<StagedCell, 'observations' | 'traits'>,
): ComparedTrace[] {
  const seen = observations.filter(isOfWorkload);
  const own = tracesOfObservations(seen);
  const messages = lazily(() => messagesOf(seen));
  const compared = wanted.map((trace): ComparedTrace => {
    if (trace.absent === true) return stateOfAbsent(trace, own);
    if (trace.what === 'trait')
      return stateOf(trace, traits.some((trait) => trait === trace.value) ? [trace.value] : []);
    if (trace.what === 'message')
      return stateOf(trace, messages().some((text) => text.includes(trace.value)) ? [trace.value] : []);
    const alike = own.filter(({ layer, what }) => layer === trace.layer && what === trace.what);
    const values = alike.map(({ value }) => value);
    return stateOf(trace, trace.value === 'any' && values.length > 0 ? ['any'] : values);
  });
  return splitEnds(wanted, seen) ? compared.map(markEnd) : compared;
}

/** A report with one exit code and one reason is of one death: two containers that have one each do not show it. */
function splitEnds(traces: readonly CaseTrace[], seen: readonly Observation[]): boolean {
  const valuesOf = (what: string): string[] =>
    traces.filter((trace) => trace.what === what && trace.absent !== true).map(({ value }) => value);
  const [code, ...otherCodes] = valuesOf('exit code');
  const [reason, ...otherReasons] = valuesOf('reason').filter(isEndReason);
  if (code === undefined || reason === undefined || otherCodes.length + otherReasons.length > 0) return false;
  const ends = listContainerEnds(seen);
  return !ends.some((end) => String(end.exitCode) === code && end.reason === reason);
}

function isEndReason(reason: string): boolean {
  return ['OOMKilled', 'Error', 'Completed', 'ContainerStatusUnknown', 'StartError'].includes(reason);
}

function markEnd(trace: ComparedTrace): ComparedTrace {
  const isPart = trace.what === 'exit code' || (trace.what === 'reason' && isEndReason(trace.value));
  return isPart && trace.state === 'same' && trace.absent !== true
    ? { ...trace, cell: `${trace.value}, of another container`, state: 'differs' }
    : trace;
}

function stateOf(trace: CaseTrace, values: readonly string[]): ComparedTrace {
  if (values.includes(trace.value)) return { ...trace, cell: trace.value, state: 'same' };
  const [first] = values;
  return first === undefined
    ? { ...trace, state: 'missing' }
    : { ...trace, cell: values.join(', '), state: 'differs' };
}

/** It differs when the cell shows it. */
function stateOfAbsent(trace: CaseTrace, own: readonly CaseTrace[]): ComparedTrace {
  const shown = own.filter((one) => isDeniedBy(one, trace)).map(({ value }) => value);
  return shown.length === 0
    ? { ...trace, state: 'same' }
    : { ...trace, cell: shown.join(', '), state: 'differs' };
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function messagesOf(observations: readonly Observation[]): string[] {
  const texts = observations.flatMap((seen) => [
    seen.ref.text,
    ...(seen.kind === 'kubelet-said' || seen.kind === 'kube-event' ? [seen.message] : []),
    ...(seen.kind === 'pod-seen'
      ? seen.containers.flatMap(({ message, last }) => [message, last?.message])
      : []),
  ]);
  return [...new Set(texts.filter((text) => text !== undefined).map(maskMessage))];
}

/** Why it is not the death of the report; undefined when it is. */
function whyNot(
  { traces: wanted, killer }: ReportedDeath,
  { result }: StagedCell,
  neighbour: StagedCell | undefined,
  traces: readonly ComparedTrace[],
): string | undefined {
  if (result.verdict !== 'passed' && result.verdict !== 'failed')
    return `${result.address} is ${result.verdict}: ${result.note ?? 'nobody knows why'}`;
  const symptoms = wanted.filter(isSymptom);
  if (symptoms.length < LEAST_TRACES) return saysTooLittle(symptoms.length);
  const off = describeOff(traces);
  if (off !== undefined) return off;
  const found = result.attribution.killer;
  if (found === 'unknown' || found === 'none') return `the judge names no killer of ${result.address}`;
  if (killer !== undefined && killer !== found)
    return `the logs of the report say ${killer}, and ${result.address} was ${found}`;
  return whyNotBeside(wanted, neighbour);
}

/**
 * The same where nobody dies. A bug that shows says nothing of a report that only shares words with it: without its link, a
 * report needs traces of its own that the fixed side does not show.
 */
function whyNotByQuestion(
  { traces: wanted, killer }: ReportedDeath,
  { outcome, note, isOwn }: AnsweredQuestion,
  neighbour: StagedCell | undefined,
  traces: readonly ComparedTrace[],
): string | undefined {
  if (outcome !== 'reproduced') return note;
  const off = describeOff(traces);
  if (off !== undefined) return off;
  if (isOwn && wanted.some(({ absent }) => absent !== true)) return undefined;
  const symptoms = wanted.filter(isSymptom);
  if (symptoms.length === 0) return 'this report has no death to compare';
  if (symptoms.length < LEAST_TRACES) return saysTooLittle(symptoms.length);
  if (killer !== undefined) return `the logs of the report say ${killer}, and nobody died here`;
  return whyNotBeside(wanted, neighbour);
}

function describeOff(traces: readonly ComparedTrace[]): string | undefined {
  const off = traces.filter(({ state }) => state !== 'same');
  return off.length === 0 ? undefined : off.map(describeTrace).join('; ');
}

function saysTooLittle(count: number): string {
  return `the report says too little to tell its death from others: ${count === 0 ? 'no trace' : 'one trace'}`;
}

function whyNotBeside(wanted: readonly CaseTrace[], neighbour: StagedCell | undefined): string | undefined {
  if (neighbour === undefined) return 'no neighbour was run that does not show it';
  const { address, verdict } = neighbour.result;
  if (verdict !== 'passed' && verdict !== 'failed') return `its neighbour ${address} is ${verdict}`;
  const beside = compareTraces(wanted, neighbour).filter(isSymptom);
  return beside.every(({ state }) => state === 'same')
    ? `its neighbour ${address} shows the same traces`
    : undefined;
}

/** Something that happened: neither what was set up, nor what did not happen, nor what is only said of it in passing. */
function isSymptom({ what, value, absent }: CaseTrace): boolean {
  return what !== 'trait' && value !== 'any' && absent !== true;
}

function describeTrace({ layer, what, value, cell, absent }: ComparedTrace): string {
  const named = value === 'any' ? what : `${what} ${value}`;
  if (absent === true) return `${layer}: ${named} is here, and the report says that it was not`;
  return `${layer}: ${named} ${cell === undefined ? 'is missing' : `is ${cell} here`}`;
}
