import { describe, expect, it } from 'vitest';
import { answer } from '../../../../lab/autopsy/answer.ts';
import type { AutopsyDeath } from '../../../../lab/model/saved/autopsy.ts';
import { OOM, podOf, readTexts } from '../../evidence/bundle/read-texts.ts';

/** The container lived on 20 November from 21:53:01 to 21:53:59, on a node that booted at 21:49:46. */

const LINUX = 'Linux version 6.1.0-28-amd64';
const PANIC = 'Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled';

type Boot = readonly (readonly [at: string, text: string])[];
type Form = (boots: readonly Boot[]) => string;

/** The boot of the container. */
const own = (...more: Boot): Boot => [
  ['2026-11-20T21:49:46Z', LINUX],
  ...OOM.map((text) => ['2026-11-20T21:53:58Z', text] as const),
  ...more,
];
const before = (...more: Boot): Boot => [
  ['2026-11-20T20:00:00Z', LINUX],
  ['2026-11-20T20:00:01Z', 'device eth0 left promiscuous mode'],
  ...more,
];
const after = (...more: Boot): Boot => [
  ['2026-11-20T22:10:00Z', LINUX],
  ['2026-11-20T22:10:01Z', 'device eth0 left promiscuous mode'],
  ...more,
];

const REBOOTED = JSON.stringify({
  kind: 'Event',
  metadata: { name: 'node-1.1', namespace: 'default' },
  involvedObject: { kind: 'Node', name: 'node-1' },
  reason: 'Rebooted',
  message: 'Node node-1 has been rebooted, boot id: 1',
  lastTimestamp: '2026-11-20T21:53:59Z',
  source: { component: 'kubelet' },
});

const journal: Form = (boots) =>
  boots
    .flatMap((boot) => boot.map(([at, text]) => `${at.replace('Z', '+00:00')} node-1 kernel: ${text}\n`))
    .join('');
const journalJson: Form = (boots) =>
  boots
    .flatMap((boot, number) =>
      boot.map(
        ([at, text]) =>
          `${JSON.stringify({
            __REALTIME_TIMESTAMP: String(Date.parse(at) * 1000),
            _BOOT_ID: String(number).repeat(32),
            _TRANSPORT: 'kernel',
            SYSLOG_FACILITY: '0',
            SYSLOG_IDENTIFIER: 'kernel',
            _HOSTNAME: 'node-1',
            MESSAGE: text,
          })}\n`,
      ),
    )
    .join('');
/** Since the boot, as a serial console has it. */
const dmesg: Form = (boots) =>
  boots
    .flatMap((boot) => {
      const start = Date.parse(boot[0]?.[0] ?? '');
      return boot.map(
        ([at, text]) => `[${((Date.parse(at) - start) / 1000).toFixed(6).padStart(12)}] ${text}\n`,
      );
    })
    .join('');
const dmesgT: Form = (boots) =>
  boots
    .flatMap((boot) =>
      boot.map(
        ([at, text]) =>
          `[${new Date(at).toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 $4')}] ${text}\n`,
      ),
    )
    .join('');

const FORMS: Readonly<Record<string, Form>> = {
  journal,
  'journal as JSON': journalJson,
  'dmesg -T': dmesgT,
  'dmesg of several boots': dmesg,
};

const EARLIER = ['2026-11-20T20:30:00Z', PANIC] as const;
const SAME = ['2026-11-20T21:58:00Z', PANIC] as const;
const LATER = ['2026-11-20T22:30:00Z', PANIC] as const;

interface Row {
  readonly what: string;
  readonly boots: readonly Boot[];
  /** What is said where each line has a time. */
  readonly says: RegExp | undefined;
  /** What is said where only the boot that the machine is in can be dated. */
  readonly undated: RegExp | undefined;
}

const ROWS: readonly Row[] = [
  {
    what: 'in the boot before',
    boots: [before(EARLIER), own()],
    says: /^not in the boot of this container, .*: the kernel panicked in an earlier boot \(since 2026-11-20T20:00:00\.000Z\), at 2026-11-20T20:30:00\.000Z: kern\.log:3$/,
    undated:
      /^not in the boot of this container, .* in an earlier boot, before 2026-11-20T21:49:47\.000Z: kern\.log:3$/,
  },
  {
    what: 'in the boot before, of which the log has only the end',
    boots: [[['2026-11-20T20:29:00Z', 'device eth0 left promiscuous mode'], EARLIER], own()],
    says: /in an earlier boot, at 2026-11-20T20:30:00\.000Z: kern\.log:2$/,
    undated: /in an earlier boot, before 2026-11-20T21:49:47\.000Z: kern\.log:2$/,
  },
  {
    what: 'in the boot after',
    boots: [own(), after(LATER)],
    says: /in a later boot \(since 2026-11-20T22:10:00\.000Z\), at 2026-11-20T22:30:00\.000Z: kern\.log:6$/,
    undated: /in a later boot, at a time that nothing tells: kern\.log:6$/,
  },
  {
    what: 'in the same boot',
    boots: [before(), own(SAME), after()],
    says: undefined,
    undated: undefined,
  },
  {
    what: 'in the boots before and after',
    boots: [before(EARLIER), own(), after(LATER)],
    says: /in an earlier boot .*: kern\.log:3; in a later boot .*: kern\.log:9$/,
    undated: /in an earlier boot, .*: kern\.log:3; in a later boot, .*: kern\.log:9$/,
  },
  { what: 'nowhere', boots: [before(), own(), after()], says: undefined, undated: undefined },
];

async function ask(files: Readonly<Record<string, string>>): Promise<AutopsyDeath> {
  const [death] = answer(await readTexts(files, { timezone: 'UTC' }), {}).deaths;
  if (death === undefined) throw new Error('there is no death');
  return death;
}

const startOf = (boot: Boot | undefined): number => Date.parse(boot?.[0]?.[0] ?? '') / 1000;

describe('a panic of the kernel', () => {
  it.each(Object.keys(FORMS).flatMap((form) => ROWS.map((row) => ({ ...row, form }))))(
    '$what is said in one line, and is not the killer: $form',
    async ({ boots, form, says, undated }) => {
      const death = await ask({
        'kern.log': FORMS[form]?.(boots) ?? '',
        'pod.yaml': podOf('OOMKilled'),
        'proc/stat': `cpu  1 2 3 4\nbtime ${startOf(boots.at(-1))}\n`,
      });
      const line = form === 'dmesg of several boots' ? undated : says;
      expect(death.attribution.killer).toBe('memcg-oom');
      expect(death.otherPanic?.split('\n').length).toBe(line && 1);
      if (line !== undefined) expect(death.otherPanic).toMatch(line);
    },
  );

  it.each<{ what: string; boots: readonly Boot[]; how: string }>([
    {
      what: 'an earlier boot, minutes before',
      boots: [
        [
          ['2026-11-20T21:40:00Z', LINUX],
          ['2026-11-20T21:52:00Z', PANIC],
        ],
        [['2026-11-20T21:52:20Z', LINUX]],
      ],
      how: 'boot',
    },
    {
      what: 'a later boot, minutes after',
      boots: [
        [['2026-11-20T21:40:00Z', LINUX]],
        [
          ['2026-11-20T21:53:30Z', LINUX],
          ['2026-11-20T21:57:00Z', PANIC],
        ],
      ],
      how: 'boot',
    },
    {
      what: 'the boot of the container',
      boots: [
        [
          ['2026-11-20T21:40:00Z', LINUX],
          ['2026-11-20T21:53:20Z', PANIC],
        ],
        [['2026-11-20T21:53:30Z', LINUX]],
      ],
      how: 'panic-on-oom',
    },
  ])('of $what: how the node went away is $how', async ({ boots, how }) => {
    const death = await ask({
      'kern.log': journal(boots),
      'pod.yaml': podOf('ContainerStatusUnknown'),
      'events.json': REBOOTED,
    });
    expect(death.attribution).toMatchObject({ killer: 'node-reboot', how });
  });
});
