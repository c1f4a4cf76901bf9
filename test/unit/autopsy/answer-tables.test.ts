import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { OOM, readTexts, UID } from '../evidence/bundle/read-texts.ts';

/** Tables of pods and containers, which tell that something ended, and nothing of who did it. */

const SHORT = '3f2a1b0c9d8e';
const FULL = `${SHORT}${'7'.repeat(52)}`;

interface Case {
  readonly what: string;
  readonly text: string;
  readonly pod?: string;
  readonly container?: string;
}

const CASES: readonly Case[] = [
  {
    what: 'docker ps of a node',
    text: `$ docker ps -a
CONTAINER ID   IMAGE         COMMAND                  CREATED          STATUS                       PORTS     NAMES
${SHORT}   shop/web      "java -jar /app.jar"     12 minutes ago   Exited (137) 3 minutes ago             k8s_web_web-5c7d9f8b6d-x2lqp_shop_${UID}_3
4a3b2c1d0e9f   pause:3.1     "/pause"                 3 hours ago      Exited (0) 3 minutes ago               k8s_POD_web-5c7d9f8b6d-x2lqp_shop_${UID}_0
5a3b2c1d0e9f   shop/log      "/log"                   3 hours ago      Up 3 hours                             k8s_log_web-5c7d9f8b6d-x2lqp_shop_${UID}_0
`,
    pod: 'shop/web-5c7d9f8b6d-x2lqp',
    container: 'web',
  },
  {
    what: 'podman ps',
    text: `CONTAINER ID  IMAGE                           COMMAND     CREATED        STATUS                      PORTS       NAMES
9f8e7d6c5b4a  docker.io/library/mongo:latest  mongod      5 minutes ago  Exited (137) 2 minutes ago              mongo
`,
    container: 'mongo',
  },
  {
    what: 'a row of docker compose ps',
    text: 'shop-web-1   shop/web   "/entrypoint.sh"   web       3 minutes ago   Exited (137) 2 minutes ago\n',
    container: 'shop-web-1',
  },
  {
    what: 'docker-compose 1',
    text: '   Name          Command        State     Ports\n------------------------------------------------\nshop_web_1   /entrypoint.sh   Exit 137\n',
    container: 'shop_web_1',
  },
  {
    what: 'crictl ps -a',
    text: `CONTAINER           IMAGE               CREATED             STATE               NAME                ATTEMPT             POD ID              POD
8b3f6d1c2a9e4       1d3a7b9c5e2f0       2 minutes ago       Running             web                 4                   0c9d8e7f6a5b4       web-5c7d9f8b6d-x2lqp
5a4e3d2c1b0f9       1d3a7b9c5e2f0       7 minutes ago       Exited              web                 3                   0c9d8e7f6a5b4       web-5c7d9f8b6d-x2lqp
`,
    pod: 'web-5c7d9f8b6d-x2lqp',
    container: 'web',
  },
  {
    what: 'kubectl get pods',
    text: `NAME                   READY   STATUS      RESTARTS        AGE
web-5c7d9f8b6d-x2lqp   0/1     OOMKilled   3 (2m10s ago)   10m
db-0                   1/1     Running     0               9d
`,
    pod: 'web-5c7d9f8b6d-x2lqp',
  },
  {
    what: 'kubectl get pods,deployments, as kubectl get all has it too',
    text: `NAME                       READY   STATUS    RESTARTS      AGE
pod/web-5c7d9f8b6d-x2lqp   1/1     Running   1 (2m ago)    10m

NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
deployment.apps/web   1/1     1            1           10m
`,
    pod: 'web-5c7d9f8b6d-x2lqp',
  },
  {
    what: 'a pod of a node that was shut down, up to 1.21',
    text: 'NAME    READY   STATUS     RESTARTS   AGE\nweb-0   0/1     Shutdown   0          2m\n',
    pod: 'web-0',
  },
  {
    what: 'kubectl get pods --watch',
    text: 'web-0   1/1   Running     0   10s\nweb-0   0/1   OOMKilled   0   20s\nweb-0   1/1   Running     1   22s\n',
    pod: 'web-0',
  },
  {
    what: 'columns that somebody chose',
    text: 'NAME                   REASON      CODE\nweb-5c7d9f8b6d-x2lqp   OOMKilled   137\ndb-0                   <none>      <none>\n',
    pod: 'web-5c7d9f8b6d-x2lqp',
  },
  {
    what: 'what a jsonpath printed',
    text: 'web-5c7d9f8b6d-x2lqp\t137\tOOMKilled\n',
    pod: 'web-5c7d9f8b6d-x2lqp',
  },
  {
    what: 'columns that somebody chose, with the namespace',
    text: 'NAMESPACE   NAME    CONTAINER   REASON\nshop        web-0   web         Error\n',
    pod: 'shop/web-0',
  },
  {
    what: 'a screen of k9s',
    text: `┌──────────────────── Pods(shop)[2] ────────────────────┐
│ NAME↑                  PF READY  RESTARTS STATUS            CPU MEM  │
│ web-5c7d9f8b6d-x2lqp   ●  0/1          12 CrashLoopBackOff    0   0  │
│ db-0                   ●  1/1           0 Running            12 512  │
└────────────────────────────────────────────────────────┘
`,
    pod: 'web-5c7d9f8b6d-x2lqp',
  },
  {
    what: 'a map of Go',
    text: `map[terminated:map[containerID:docker://${FULL} exitCode:137 finishedAt:2023-05-04T10:05:01Z message:it was killed by its own watchdog reason:Error startedAt:2023-05-04T10:00:01Z]]\n`,
  },
];

describe('a table', () => {
  it.each(CASES)('tells of an end and names nobody: $what', async ({ text, pod, container }) => {
    const { deaths } = answer(await readTexts({ 'paste.txt': text }), {});
    expect(deaths.map((death) => [death.pod, death.container, death.attribution.killer])).toEqual([
      [pod, container, 'unknown'],
    ]);
  });

  it.each(CASES)('excludes nothing by sources that were not given: $what', async ({ text }) => {
    const { deaths } = answer(await readTexts({ 'paste.txt': text }), {});
    const excluded = deaths.flatMap(({ attribution }) =>
      (attribution.excluded ?? []).map(({ what }) => what),
    );
    // It ended; and what ended it is not what only ends a container that never ran.
    const known = ['that it lives', "an OOM kill of the runtime's own first process"];
    expect(excluded.filter((what) => !known.includes(what))).toEqual([]);
  });

  it.each(CASES.filter(({ pod }) => pod !== undefined))(
    'tells of an end that nothing beside it tells of: $what',
    async ({ text, pod, container }) => {
      const log = OOM.map((line) => `[  252.044970] ${line}\n`).join('');
      const read = await readTexts({ 'dmesg.txt': log, 'paste.txt': text });
      const { deaths } = answer(read, { pod });
      expect(
        deaths.map((death) => [death.pod, death.container, death.attribution.killer, death.note]),
      ).toEqual([[pod, container, 'unknown', expect.stringMatching(/^only a table tells of this end/)]]);
      expect(() => answer(read, { pod: 'other' })).toThrow('no pod other is in the input');
    },
  );

  it('beside records without any end is what there is, asked by no name and listed', async () => {
    const events =
      'LAST SEEN   TYPE     REASON   OBJECT     MESSAGE\n3m   Normal   Pulled   pod/db-0   Container image "db" already present on machine\n';
    const read = await readTexts({ 'events.txt': events, 'pods.txt': CASES[5]?.text ?? '' });
    for (const isList of [true, false])
      expect(answer(read, { isList }).deaths.map(({ pod }) => pod)).toEqual(['web-5c7d9f8b6d-x2lqp']);
  });

  it('of docker ps that was taken twice tells of each attempt, the newest first', async () => {
    const [{ text = '' } = {}] = CASES;
    const later = text.replace(SHORT, '9f2a1b0c9d8e').replace(`${UID}_3`, `${UID}_4`);
    const { deaths } = answer(await readTexts({ 'a.txt': text, 'b.txt': later }), {});
    expect(deaths.map(({ attempt }) => attempt)).toEqual([4, 3]);
  });

  it.each([
    ['OOMKilled', 'Error'],
    ['CrashLoopBackOff', 'OOMKilled'],
  ])('of several pods lists the end of each: %s and %s', async (one, other) => {
    const text = `NAME    READY   STATUS   RESTARTS   AGE\nweb-0   0/1   ${one}   2   5m\ndb-0   0/1   ${other}   0   5m\n`;
    const { deaths } = answer(await readTexts({ 'pods.txt': text }), { isList: true });
    expect(deaths.map(({ pod, attribution }) => [pod, attribution.killer]).sort()).toEqual([
      ['db-0', 'unknown'],
      ['web-0', 'unknown'],
    ]);
  });

  it('of several pods asks for one of them by its name', async () => {
    const text = 'web-0   0/1   OOMKilled   2   5m\ndb-0   0/1   Error   0   5m\n';
    const read = await readTexts({ 'pods.txt': text });
    expect(() => answer(read, {})).toThrow(/^2 deaths fit: ask for one of them\n {2}web-0\n {2}db-0$/);
  });

  it('says the exit code of docker ps', async () => {
    const { deaths } = answer(await readTexts({ 'paste.txt': CASES[1]?.text ?? '' }), {});
    expect(JSON.stringify(deaths[0]?.claims)).toContain('137');
  });

  it('adds no end to what the runtime says of the same one', async () => {
    const inspected = JSON.stringify([
      {
        Id: FULL,
        Name: '/mongo',
        State: {
          Status: 'exited',
          Running: false,
          ExitCode: 137,
          OOMKilled: false,
          FinishedAt: '2023-05-04T10:05:01Z',
          StartedAt: '2023-05-04T10:00:01Z',
        },
      },
    ]);
    const files = {
      'ps.txt': `${SHORT}  mongo  "mongod"  5 minutes ago  Exited (137) 2 minutes ago    mongo\n`,
    };
    expect(answer(await readTexts({ ...files, 'inspect.json': inspected }), {}).deaths).toHaveLength(1);
  });

  it('is only a count beside a kernel log', async () => {
    const log = OOM.map((text) => `[  252.044970] ${text}\n`).join('');
    const read = await readTexts({ 'dmesg.txt': log, 'ps.txt': CASES[1]?.text ?? '' });
    expect(answer(read, { isList: true }).deaths).toHaveLength(1);
  });

  it('without an end says so', async () => {
    const read = await readTexts({
      'ps.txt': CASES[1]?.text.replace('Exited (137) 2 minutes ago', 'Up 2 minutes') ?? '',
    });
    expect(() => answer(read, {})).toThrow('none of them tells of an end');
  });
});

describe('what tells of no end', () => {
  it.each([
    [
      'free',
      '              total        used        free\nMem:          15890        9877         512\n',
      'how much memory was free',
    ],
    ['top', 'top - 10:05:01 up 12 days,  3:04,  1 user\nTasks: 201 total\n', 'what ran and how much it used'],
    ['kubectl top', 'NAME    CPU(cores)   MEMORY(bytes)\nweb-0   12m          512Mi\n', 'kubectl top'],
    [
      'a heap that is full',
      'java.lang.OutOfMemoryError: Java heap space\n\tat a.b(C.java:1)\n',
      "a program's own error",
    ],
  ])('is called by its name: %s', async (_what, text, said) => {
    const read = await readTexts({ 'paste.txt': text });
    expect(() => answer(read, {})).toThrow(said);
  });
});
