import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { ID, readTexts, UID } from '../evidence/bundle/read-texts.ts';

/** A deletion that only the kubelet tells of: it heard of it, and the API has forgotten the pod. */

const NEW = '"SyncLoop DELETE" source="api" pods=["web/api-0"]';
/** Up to 1.20. */
const OLD = `SyncLoop (DELETE, "api"): "api-0_web(${UID})"`;

const journal = (heard: string, second = '01'): string =>
  [
    [second, `kubelet[812]: I1120 21:50:${second}.100200     812 kubelet.go:2430] ${heard}`],
    [
      '01',
      `kubelet[812]: I1120 21:50:01.120200     812 kuberuntime_container.go:779] "Killing container with a grace period" pod="web/api-0" podUID="${UID}" containerName="api" containerID="containerd://${ID}" gracePeriod=30`,
    ],
    [
      '01',
      `containerd[600]: time="2026-11-20T21:50:01.130200000Z" level=info msg="StopContainer for \\"${ID}\\" with timeout 30 (s)"`,
    ],
    [
      '31',
      `containerd[600]: time="2026-11-20T21:50:31.140200000Z" level=info msg="Kill container \\"${ID}\\""`,
    ],
    [
      '31',
      `containerd[600]: time="2026-11-20T21:50:31.240200000Z" level=info msg="TaskExit event container_id:\\"${ID}\\" id:\\"${ID}\\" pid:1234 exit_status:137"`,
    ],
  ]
    .map(([at = '', text = '']) => `2026-11-20T21:50:${at}Z node-7 ${text}\n`)
    .join('');

const event = (reason: string, message: string, component: string): string => `apiVersion: v1
kind: Event
metadata: {name: api-0.${reason}, namespace: web}
involvedObject: {kind: Pod, name: api-0, namespace: web, uid: ${UID}}
reason: ${reason}
message: ${message}
type: Normal
source: {component: ${component}}
count: 1
firstTimestamp: "2026-11-20T21:50:01Z"
lastTimestamp: "2026-11-20T21:50:01Z"
---
`;
const KILLING = event('Killing', 'Stopping container api', 'kubelet');
const PREEMPTED = event(
  'Preempted',
  `Preempted by pod ${ID.slice(0, 8)} on node node-7`,
  'default-scheduler',
);

interface Case {
  readonly what: string;
  readonly log: string;
  readonly events?: string;
  readonly killer: string;
  readonly note?: RegExp;
}

const CASES: readonly Case[] = [
  { what: 'with the events of the pod', log: journal(NEW), events: KILLING, killer: 'api-deletion' },
  { what: 'in the words of old releases', log: journal(OLD), events: KILLING, killer: 'api-deletion' },
  {
    what: 'which was a preemption',
    log: journal(NEW),
    events: KILLING + PREEMPTED,
    killer: 'preemption',
  },
  {
    what: 'without any event: it may have been a preemption',
    log: journal(NEW),
    killer: 'unknown',
    note: /only as an event why a pod is deleted/,
  },
  {
    what: 'of another pod',
    log: journal(NEW.replace('api-0', 'api-1')),
    events: KILLING,
    killer: 'unknown',
  },
  { what: 'after the end', log: journal(NEW, '45'), events: KILLING, killer: 'unknown' },
];

describe('a deletion that the kubelet heard of', () => {
  it.each(CASES)('$what: $killer', async ({ log, events, killer, note }) => {
    const files = { 'node.log': log, ...(events === undefined ? {} : { 'events.yaml': events }) };
    const [death] = answer(await readTexts(files), { pod: 'web/api-0' }).deaths;
    expect(death).toMatchObject({
      attribution: { killer, confidence: killer === 'unknown' ? 'none' : 'likely' },
    });
    if (note !== undefined) expect(death?.note).toMatch(note);
  });
});
