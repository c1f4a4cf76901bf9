import { describe, expect, it } from 'vitest';
import { answer, type AutopsyQuestion } from '../../../lab/autopsy/answer.ts';
import { readTexts } from '../evidence/bundle/read-texts.ts';

/** Parts of what tools print, as people paste them: without what is before and behind, of any release. */

const ID = 'b945dc1684880b1c8cb1ed0ae5d4aa43b05b77b572580ae5ba54e370abdc3623';

interface Row {
  readonly what: string;
  readonly text: string;
  readonly question?: AutopsyQuestion;
  readonly says: Readonly<Record<string, unknown>>;
  /** What a command for more evidence must name. */
  readonly names?: RegExp;
}

const named = (killer: string, rest: object = {}): Record<string, unknown> => ({
  ...rest,
  attribution: { killer, confidence: 'likely' },
});
const unnamed = (rest: object = {}): Record<string, unknown> => ({
  ...rest,
  attribution: { killer: 'unknown', confidence: 'none' },
});

const evicted = (more = ''): string => `Name:           crawler-7d9
Namespace:      shop
Node:           pool-1-abcd/
Status:         Failed
Reason:         Evicted
Message:        The node was low on resource: memory. Container crawler was using 9402820Ki, which exceeds its request of 7G.
Containers:
  crawler:
    Image:      crawler:1
${more}`;
const state = (code: number, reason: string, restarts: number): string => `    State:          Terminated
      Reason:       ${reason}
      Exit Code:    ${code}
      Started:      Fri, 20 Nov 2026 21:50:00 +0000
      Finished:     Fri, 20 Nov 2026 21:53:59 +0000
    Restart Count:  ${restarts}
`;
const probed = (kills: string, restarts: number): string => `Name:         api-0
Namespace:    web
Node:         node-7/10.0.0.7
Containers:
  api:
    Container ID:   containerd://${ID}
    State:          Running
      Started:      Fri, 20 Nov 2026 21:54:01 +0000
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
      Started:      Fri, 20 Nov 2026 21:50:00 +0000
      Finished:     Fri, 20 Nov 2026 21:53:59 +0000
    Restart Count:  ${restarts}
Events:
  Type     Reason     Age                 From             Message
  ----     ------     ----                ----             -------
${kills}`;

const ROUTED = JSON.stringify({
  verb: 'ADDED',
  event: {
    metadata: { name: 'api-0.17683ea4', namespace: 'web' },
    involvedObject: { kind: 'Pod', namespace: 'web', name: 'api-0' },
    reason: 'Killing',
    message: 'Container api failed liveness probe, will be restarted',
    source: { component: 'kubelet', host: 'node-7' },
    lastTimestamp: '2026-11-20T21:53:29Z',
    count: 1,
  },
});

const ROWS: readonly Row[] = [
  {
    what: 'an evicted pod of which the API has no container any more',
    text: evicted(),
    says: named('kubelet-eviction', { pod: 'shop/crawler-7d9', container: 'crawler', node: 'pool-1-abcd' }),
  },
  {
    what: 'the same with a message that a terminal broke',
    text: evicted().replace('which exceeds', 'which e\nxceeds'),
    says: named('kubelet-eviction'),
  },
  {
    what: 'an evicted pod whose only container was killed',
    text: evicted(state(137, 'Error', 0)),
    says: named('kubelet-eviction'),
  },
  {
    what: 'an evicted pod whose container had been started again: it may have ended before',
    text: evicted(state(137, 'Error', 3)),
    says: unnamed(),
    names: /ssh pool-1-abcd journalctl -k/,
  },
  {
    what: 'an evicted pod whose container is called OOMKilled',
    text: evicted(state(137, 'OOMKilled', 0)),
    says: unnamed(),
  },
  {
    what: 'a pod that was never let in',
    text: evicted().replace(/The node was low.*/, 'The node had condition: [MemoryPressure].'),
    says: unnamed(),
  },
  {
    what: 'the status of an evicted pod as YAML, without its beginning',
    text: '```yaml\n  message: \'The node was low on resource: memory. Container node was using 35505620Ki,\n    which exceeds its request of 12Gi. \'\n  phase: Failed\n  podIP: 10.7.0.103\n  reason: Evicted\n  startTime: "2026-11-20T18:04:30Z"\n```\n',
    question: { pod: 'shop/node-0' },
    says: named('kubelet-eviction', { pod: 'shop/node-0' }),
  },
  {
    what: 'a pod that had to go for a critical one, cut with dots',
    text: 'Start Time:     Wed, 08 Jul 2026 10:49:49 +0300\n...\nStatus:         Failed\nReason:         Preempting\nMessage:        Preempted in order to admit critical pod\n',
    says: named('preemption'),
  },
  {
    what: 'as many kills by the probe as restarts',
    text: probed(
      '  Warning  Unhealthy  17m (x9 over 40m)   kubelet, node-7  Liveness probe failed: HTTP probe failed with statuscode: 500\n  Normal   Killing    17m (x3 over 40m)   kubelet, node-7  Container api failed liveness probe, will be restarted\n',
      3,
    ),
    says: named('liveness-probe', { pod: 'web/api-0', container: 'api' }),
  },
  {
    what: 'as many kills by the probe as restarts, the last of them long before the last start',
    text: probed(
      '  Normal   Killing    50m (x3 over 80m)   kubelet, node-7  Container api failed liveness probe, will be restarted\n  Normal   Started    2m (x4 over 3h)   kubelet, node-7  Started container api\n',
      3,
    ),
    says: unnamed({ pod: 'web/api-0', container: 'api' }),
  },
  {
    what: 'kills by the probe that are as old as the last start',
    text: probed(
      '  Normal   Killing    3m (x3 over 80m)   kubelet, node-7  Container api failed liveness probe, will be restarted\n  Normal   Started    2m (x4 over 3h)   kubelet, node-7  Started container api\n',
      3,
    ),
    says: named('liveness-probe', { pod: 'web/api-0', container: 'api' }),
  },
  {
    what: 'old kills by the probe, and a young start of another container',
    text: probed(
      '  Normal   Killing    50m (x3 over 80m)   kubelet, node-7  Container api failed liveness probe, will be restarted\n  Normal   Started    2m (x4 over 3h)   kubelet, node-7  Started container log\n',
      3,
    ),
    says: named('liveness-probe', { pod: 'web/api-0', container: 'api' }),
  },
  {
    what: 'fewer kills by the probe than restarts',
    text: probed(
      '  Normal   Killing    17m (x2 over 40m)   kubelet, node-7  Container api failed liveness probe, will be restarted\n',
      3,
    ),
    says: unnamed(),
    names: /ssh node-7 journalctl -u kubelet/,
  },
  {
    what: 'a table of kubectl 1.6, with tabs, and the text of that time',
    text: probed('', 1).replace(
      /Events:[^]*$/,
      `Events:\n  FirstSeen\tLastSeen\tCount\tFrom\tSubObjectPath\tType\tReason\tMessage\n  ---------\t--------\t-----\t----\t-------------\t--------\t------\t-------\n  19m\t\t19m\t\t1\tkubelet, node-7\tspec.containers{api}\tNormal\t\tKilling\t\tKilling container with id docker://${ID}:pod "api-0_web(0aa5fe1a-0430-11e7-9e34-507b9d4141fa)" container "api" is unhealthy, it will be killed and re-created.\n`,
    ),
    says: named('liveness-probe'),
  },
  {
    what: 'lastState as JSON, and a table of events that has the name',
    text: `And this is what I get:\n\n    "lastState": {\n      "terminated": {\n        "containerID": "containerd://${ID}",\n        "exitCode": 137,\n        "finishedAt": "2026-11-20T21:53:59Z",\n        "reason": "Error",\n        "startedAt": "2026-11-20T21:50:00Z"\n      }\n    },\n    "name": "api",\n    "restartCount": 1,\n\nLAST SEEN TYPE REASON OBJECT MESSAGE\n5m42s Normal Killing pod/api-6d4cf56db6-x2x4p Container api failed liveness probe, will be restarted\n`,
    says: named('liveness-probe', { pod: 'api-6d4cf56db6-x2x4p', container: 'api' }),
  },
  {
    what: 'only the last state, with a label that proves nothing',
    text: 'It shows\n\n```\nLast State:     Terminated\n  Reason:       OOMKilled\n  Exit Code:    137\n  Started:      Fri, 20 Nov 2026 21:50:00 +0000\n  Finished:     Fri, 20 Nov 2026 21:53:59 +0000\n```\n',
    question: { pod: 'web/api-0' },
    says: unnamed({ pod: 'web/api-0', at: '2026-11-20T21:53:59.000Z' }),
    names: /kubectl get pod api-0 -n web/,
  },
  {
    what: 'restarts, and nothing of any end',
    text: 'Name:           api-0\nNamespace:      web\nContainers:\n  api:\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Restart Count:  5\n',
    says: unnamed({ pod: 'web/api-0' }),
    names: /kubectl get pod api-0 -n web/,
  },
  {
    what: 'a reason with a mark beside it',
    text: 'Containers:\n  static:\n    State:          Running\n      Started:      Fri, 20 Nov 2026 21:54:01 +0000\n    Last State:     Terminated\n      Reason:       Error              <<<<<<< This message\n      Exit Code:    2\n      Started:      Fri, 20 Nov 2026 21:50:00 +0000\n      Finished:     Fri, 20 Nov 2026 21:53:59 +0000\n    Restart Count:  1\n',
    says: unnamed({ container: 'static' }),
  },
  {
    what: 'rows of a table without its header: an eviction, and a pod that was never let in',
    text: '4m11s       Warning   Evicted               pod/egg-0    The node was low on resource: memory. Container egg was using 5053216Ki, which exceeds its request of 0.\n4m11s       Normal    Killing               pod/egg-0    Stopping container egg\n4m7s        Warning   Evicted               pod/egg-1    The node had condition: [MemoryPressure].\n',
    says: named('kubelet-eviction', { pod: 'egg-0', container: 'egg' }),
  },
  {
    what: 'columns that somebody chose',
    text: 'TIME                   REASON      MSG\n<nil>                  Scheduled   Successfully assigned web/api-0 to node-7\n2026-11-20T21:53:23Z   Started     Started container api\n2026-11-20T21:58:59Z   Unhealthy   Liveness probe failed: \n2026-11-20T21:58:59Z   Killing     Container api failed liveness probe, will be restarted\n',
    says: named('liveness-probe', { container: 'api' }),
  },
  {
    what: 'rows that do not say why the kubelet stops it',
    text: 'Normal   Killing         6s (x2 over 79s)     kubelet            Stopping container api\nNormal   SandboxChanged  5s (x2 over 79s)     kubelet            Pod sandbox changed, it will be killed and re-created.\n',
    says: unnamed({ container: 'api' }),
  },
  {
    what: 'what containerd prints to a terminal',
    text: `INFO[2026-03-21T12:38:16.427943477+08:00] Stop container "${ID}" with signal terminated\nINFO[2026-03-21T12:38:16.738803747+08:00] shim disconnected                             id=${ID}\n`,
    says: unnamed({ at: '2026-03-21T04:38:16.738Z' }),
  },
  {
    what: 'a container that no kubelet made',
    text: `docker inspect ${ID.slice(0, 12)}\n[\n    {\n        "Id": "${ID}",\n        "State": {\n            "Status": "exited",\n            "Running": false,\n            "OOMKilled": false,\n            "ExitCode": 137,\n            "StartedAt": "2026-05-08T08:03:05.553904873Z",\n            "FinishedAt": "2026-05-08T08:05:05.514785974Z"\n        },\n        "Image": "sha256:5f11",\n`,
    says: unnamed({ container: ID.slice(0, 12) }),
  },
  {
    what: 'code of Markdown whose first line only has the sign',
    text: 'docker says nothing of it:\n`    "State": {\n        "Status": "exited",\n        "Running": false,\n        "OOMKilled": false,\n        "ExitCode": 137,\n        "StartedAt": "2026-11-20T21:50:35.79Z",\n        "FinishedAt": "2026-11-20T21:53:59.17Z"\n    },\n`\n',
    question: { pod: 'web/api-0' },
    says: unnamed({ at: '2026-11-20T21:53:59.170Z' }),
  },
  {
    what: 'code of a web page whose first line only has the tag',
    text: `<code>${state(137, 'Error', 8).replace(/^/, 'Containers:\n  api:\n')}</code>\n`,
    question: { pod: 'web/api-0' },
    says: unnamed({ container: 'api' }),
  },
  {
    what: 'two lines of describe: the node went down',
    text: 'Reason:         Terminated\nMessage:        Pod was terminated in response to imminent node shutdown.\n',
    question: { pod: 'web/api-0' },
    says: named('node-shutdown', { pod: 'web/api-0' }),
  },
  {
    what: 'a row of a table of pods, and the message of an eviction in bold',
    text: '**kubectl get pods -n web**\nNAME    READY   STATUS    RESTARTS   AGE\napi-0   0/1     Evicted   0          102d\n\n**Message:        The node was low on resource: memory. Container api was using 43536Ki, which exceeds its request of 0.**\n',
    says: named('kubelet-eviction', { pod: 'api-0' }),
  },
  {
    what: 'the message of a pod that was never let in',
    text: 'Reason:         Evicted\nMessage:        The node had condition: [DiskPressure].\n\n    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    137\n',
    question: { pod: 'web/api-0' },
    says: unnamed(),
  },
  {
    what: 'an event in the line of a router of events',
    text: `${ROUTED}\n`,
    says: named('liveness-probe', { pod: 'web/api-0', container: 'api' }),
  },
  {
    what: 'the same as Elasticsearch has it',
    text: `${JSON.stringify({ _index: 'events-1', _source: JSON.parse(ROUTED) as unknown }, undefined, 2)}\n`,
    says: named('liveness-probe', { pod: 'web/api-0', container: 'api' }),
  },
  {
    what: 'a pod of which nothing ended',
    text: probed('', 0).replace(/ {4}Last State:[^]*Restart/, '    Restart'),
    says: unnamed({ pod: 'web/api-0', container: 'api' }),
  },
];

describe('a part of what a tool printed', () => {
  it.each(ROWS)('$what', async ({ text, question = {}, says, names }) => {
    const found = answer(await readTexts({ 'paste.md': text }), question);
    expect(found.deaths).toHaveLength(1);
    expect(found.deaths[0]).toMatchObject(says);
    const commands = found.deaths[0]?.next.map(({ command }) => command ?? '').join('\n');
    if (names !== undefined) expect(commands).toMatch(names);
    expect(JSON.stringify(found)).not.toMatch(/undefined|NaN/);
  });
});
