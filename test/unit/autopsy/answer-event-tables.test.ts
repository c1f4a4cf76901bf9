import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { readTexts } from '../evidence/bundle/read-texts.ts';

/** Tables of events of all ages, with the columns that kubectl or their reader chose. */

const UNHEALTHY = 'Liveness probe failed: HTTP probe failed with statuscode: 500';
const RESTARTED = 'Container api failed liveness probe, will be restarted';
/** Up to 1.5, and up to 1.12. */
const RECREATED =
  'Killing container with docker id 3b1a5f2c9d7e: pod "api-0_web(0aa5fe1a-1b1b-4c1c-9d1d-5e1e6f1f7a1a)" container "api" is unhealthy, it will be killed and re-created.';
const WITH_ID =
  'Killing container with id docker://api:Container failed liveness probe.. Container will be killed and recreated.';
const FULL =
  'The node was low on resource: ephemeral-storage. Container api was using 92Ki, which exceeds its request of 0.';

/** Columns as tabwriter of kubectl prints them. */
function table(...rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map(
    (_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)) + 3,
  );
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('')
          .trimEnd()}\n`,
    )
    .join('');
}

const PATH = 'spec.containers{api}';

interface Row {
  readonly what: string;
  readonly text: string;
  readonly killer: string;
  readonly pod?: string;
}

const ROWS: readonly Row[] = [
  {
    what: 'columns without the object, and the scheduler names it',
    text: table(
      ['TIME', 'REASON', 'MSG'],
      ['<nil>', 'Scheduled', 'Successfully assigned web/api-0 to node-7'],
      ['2026-01-12T10:12:03Z', 'Unhealthy', UNHEALTHY],
      ['2026-01-12T10:12:03Z', 'Killing', RESTARTED],
    ),
    killer: 'liveness-probe',
    pod: 'web/api-0',
  },
  {
    what: 'a name of which a part was taken out',
    text: table(
      ['4m11s', 'Warning', 'Evicted', 'pod/api-<id here>', FULL],
      ['4m11s', 'Normal', 'Killing', 'pod/api-<id here>', 'Stopping container api'],
    ),
    killer: 'kubelet-eviction',
    pod: 'api-<id here>',
  },
  {
    what: 'a name with stars',
    text: table(
      ['4m11s', 'Warning', 'Evicted', 'pod/api-*****', FULL],
      ['4m11s', 'Normal', 'Killing', 'pod/api-*****', 'Stopping container api'],
    ),
    killer: 'kubelet-eviction',
    pod: 'api-*****',
  },
  {
    what: 'kubectl 1.0: times, no type, and reasons in small letters',
    text: table(
      ['FIRSTSEEN', 'LASTSEEN', 'COUNT', 'NAME', 'KIND', 'SUBOBJECT', 'REASON', 'SOURCE', 'MESSAGE'],
      [
        'Tue, 12 Jan 2016 10:02:03 +0000',
        'Tue, 12 Jan 2016 10:12:03 +0000',
        '5',
        'api-0',
        'Pod',
        PATH,
        'unhealthy',
        '{kubelet 10.0.0.7}',
        UNHEALTHY,
      ],
      [
        'Tue, 12 Jan 2016 10:12:03 +0000',
        'Tue, 12 Jan 2016 10:12:03 +0000',
        '1',
        'api-0',
        'Pod',
        PATH,
        'killing',
        '{kubelet 10.0.0.7}',
        RECREATED,
      ],
    ),
    killer: 'liveness-probe',
    pod: 'api-0',
  },
  {
    what: 'kubectl 1.3: the first time before the last one',
    text: table(
      ['FIRSTSEEN', 'LASTSEEN', 'COUNT', 'NAME', 'KIND', 'SUBOBJECT', 'TYPE', 'REASON', 'SOURCE', 'MESSAGE'],
      ['12m', '2m', '5', 'api-0', 'Pod', PATH, 'Warning', 'Unhealthy', '{kubelet 10.0.0.7}', UNHEALTHY],
      ['2m', '2m', '1', 'api-0', 'Pod', PATH, 'Normal', 'Killing', '{kubelet 10.0.0.7}', RECREATED],
    ),
    killer: 'liveness-probe',
    pod: 'api-0',
  },
  {
    what: 'kubectl 1.10: the last time before the first one, and names of events',
    text: table(
      [
        'LAST SEEN',
        'FIRST SEEN',
        'COUNT',
        'NAME',
        'KIND',
        'SUBOBJECT',
        'TYPE',
        'REASON',
        'SOURCE',
        'MESSAGE',
      ],
      [
        '2m',
        '12m',
        '5',
        'api-0.14e2a1b2c3d4e5f6',
        'Pod',
        PATH,
        'Warning',
        'Unhealthy',
        'kubelet, node-7',
        UNHEALTHY,
      ],
      [
        '2m',
        '2m',
        '1',
        'api-0.14e2a1b2c3d4e5f7',
        'Pod',
        PATH,
        'Normal',
        'Killing',
        'kubelet, node-7',
        WITH_ID,
      ],
    ),
    killer: 'liveness-probe',
    pod: 'api-0',
  },
  {
    what: 'a row of it without the header, and with single blanks',
    text: `2m 2m 1 api-0.14e2a1b2c3d4e5f7 Pod ${PATH} Normal Killing kubelet, node-7 ${WITH_ID}\n`,
    killer: 'liveness-probe',
    pod: 'api-0',
  },
  {
    what: 'columns that somebody chose, with the name of the pod only',
    text: table(
      ['TIME', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
      ['2026-11-20T21:30:10Z', 'Warning', 'Unhealthy', 'api-0', UNHEALTHY],
      ['2026-11-20T21:30:40Z', 'Normal', 'Killing', 'api-0', RESTARTED],
    ),
    killer: 'liveness-probe',
    pod: 'api-0',
  },
  {
    what: 'columns that somebody chose, with names like those of fields',
    text: table(
      ['FirstSeen', 'LastSeen', 'Count', 'From', 'Type', 'Reason', 'Message'],
      ['2026-11-20T21:20:10Z', '2026-11-20T21:30:10Z', '3', 'kubelet', 'Warning', 'Unhealthy', UNHEALTHY],
      ['2026-11-20T21:30:40Z', '2026-11-20T21:30:40Z', '1', 'kubelet', 'Normal', 'Killing', RESTARTED],
    ),
    killer: 'liveness-probe',
  },
  {
    what: 'a name without its kind, about which another than the kubelet says something',
    text: table(
      ['TIME', 'REASON', 'OBJECT', 'MESSAGE'],
      ['2026-11-20T21:30:40Z', 'Killing', 'api', 'Scaled down'],
    ),
    killer: 'unknown',
  },
  {
    what: 'only the row of the eviction',
    text: `Warning  Evicted  37m   kubelet  ${FULL}\n`,
    killer: 'kubelet-eviction',
  },
  {
    what: 'the row of a pod that was never let in',
    text: 'Warning  Evicted  37m   kubelet  The node had condition: [DiskPressure].\n',
    killer: 'unknown',
  },
  {
    what: 'an eviction by somebody else',
    text: 'Normal  Evicted  37m   karpenter  Evicted pod: Underutilized\n',
    killer: 'unknown',
  },
  {
    what: 'one kill, and a container that was started four times',
    text: `  Normal   Killing    3m                kubelet, node-7  ${RESTARTED}\n  Normal   Started    1m (x4 over 9m)   kubelet, node-7  Started container api\n`,
    killer: 'unknown',
  },
  {
    what: 'one kill, and a container that has ended twice: the kubelet waits',
    text: `  Normal   Killing    3m                kubelet, node-7  ${RESTARTED}\n  Warning  BackOff    20s (x5 over 2m)  kubelet, node-7  Back-off restarting failed container\n`,
    killer: 'unknown',
  },
  {
    what: 'one kill, and another container that has ended twice',
    text: `  Normal   Killing    3m                kubelet, node-7  ${RESTARTED}\n  Warning  BackOff    20s (x5 over 2m)  kubelet, node-7  Back-off restarting failed container log in pod api-0_web(0aa5fe1a-1b1b-4c1c-9d1d-5e1e6f1f7a1a)\n`,
    killer: 'liveness-probe',
  },
  {
    what: 'as many kills as ends',
    text: `  Normal   Started    2m (x4 over 9m)   kubelet, node-7  Started container api\n  Normal   Killing    2m (x3 over 9m)   kubelet, node-7  ${RESTARTED}\n  Warning  BackOff    20s (x5 over 2m)  kubelet, node-7  Back-off restarting failed container\n`,
    killer: 'liveness-probe',
  },
];

describe('a table of events', () => {
  it.each(ROWS)('$what: $killer', async ({ text, killer, pod }) => {
    const read = await readTexts({ 'events.txt': text });
    const { deaths } = answer(read, {});
    expect(deaths.map(({ attribution }) => attribution.killer)).toEqual([killer]);
    expect(deaths[0]?.attribution.confidence).not.toBe('proven');
    if (pod !== undefined) expect(deaths[0]).toMatchObject({ pod, container: 'api' });
  });
});
