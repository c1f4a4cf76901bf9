import { describe, expect, it } from 'vitest';
import { indexEvidence } from '../../../../lab/judge/records/evidence-index.ts';
import type { Observation } from '../../../../lab/model/evidence/observation.ts';

const BASE = { boot: 'b', node: 'node-1', pid: 1617, cgroup: '/pod/container' };
const at = (ms: number) => ({
  at: ms,
  ref: { source: 'trace', at: '', file: 'node-1/witness.jsonl', text: '' },
});
const seen = (ms: number, comm: string): Observation => ({
  kind: 'process-seen',
  ...BASE,
  ...at(ms),
  comm,
  ppid: 1546,
  nsPid: 1,
  start: '20529',
});
const ended = (ms: number, comm: string): Observation => ({
  kind: 'process-exited',
  ...BASE,
  ...at(ms),
  comm,
});
/** A signal that was not dropped. */
const sent = (ms: number, comm: string): Observation => ({
  kind: 'signal-sent',
  ...BASE,
  ...at(ms),
  comm,
  signal: 15,
  code: 0,
  senderPid: 4242,
  senderComm: 'bash',
  senderCgroup: undefined,
});

/** Times of the end of each process that the records tell of. */
const endsOf = (...records: Observation[]): (number | undefined)[] =>
  indexEvidence(records).processes.map(({ exit }) => exit?.at);

describe('the end of a process', () => {
  // As the witness saw `/bin/none -- /bin/supercronic` of supercronic-zombies begin, on Linux 6.1.
  it('is not that of the thread whose place another thread takes by exec', () => {
    expect(endsOf(seen(883, 'none'), ended(1058, 'none'), seen(2038, 'supercronic'))).toEqual([undefined]);
  });

  it('is the one after that', () => {
    const records = [seen(883, 'none'), ended(1058, 'none'), seen(2038, 'supercronic')];
    expect(endsOf(...records, ended(9000, 'supercronic'))).toEqual([9000]);
  });

  it('is what the trace told when the witness looks a moment too late', () => {
    expect(endsOf(seen(883, 'runc:[2:INIT]'), ended(1058, 'none'), seen(1070, 'none'))).toEqual([1058]);
  });

  it('is not that of its first thread, where a signal still reached the others', () => {
    expect(endsOf(seen(883, 'main'), ended(5000, 'main'), sent(9000, 'main'))).toEqual([undefined]);
  });

  it.each([
    ['was sent at once', sent(5100, 'main')],
    ['was sent before', sent(4900, 'main')],
    ['is of another program that has its number now', sent(9000, 'sshd')],
  ])('is what the trace told when the signal %s', (_, signal) => {
    expect(endsOf(seen(883, 'main'), ended(5000, 'main'), signal)).toEqual([5000]);
  });

  it('is what a witness told that waited for the last thread', () => {
    const exit = { ...ended(5000, 'main'), isGroup: true } as Observation;
    expect(endsOf(seen(883, 'main'), exit, sent(9000, 'main'))).toEqual([5000]);
  });
});
