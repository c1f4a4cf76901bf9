import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { ID, readTexts, UID } from '../evidence/bundle/read-texts.ts';

/** An eviction that only the log of the kubelet tells of: the pod is deleted, and its events are gone. */

const line = (time: string, said: string): string =>
  `May 28 ${time} node-7 kubelet[2269]: I0528 ${time}.514706    2269 eviction_manager.go:405] ${said}\n`;

const NEW = [
  line('16:05:50', '"Eviction manager: must evict pod(s) to reclaim" resourceName="ephemeral-storage"'),
  line('16:05:50', '"Eviction manager: pods ranked for eviction" pods=["sre/web-0","sre/api-7"]'),
  line('16:05:54', '"Eviction manager: pod is evicted successfully" pod="sre/web-0"'),
].join('');

/** Up to 1.20. */
const OLD = [
  line('16:05:50', 'eviction manager: must evict pod(s) to reclaim memory'),
  line(
    '16:05:50',
    `eviction manager: pods ranked for eviction: web-0_sre(${UID}), api-7_sre(${UID.replace('1', '2')})`,
  ),
  line('16:05:54', `eviction manager: pod web-0_sre(${UID}) is evicted successfully`),
].join('');

/** Up to 1.8. */
const OLDEST = OLD.replace('is evicted', 'evicted').replace('reclaim memory', 'reclaim nodefsInodes');

const died = (hour: string, uid: string, id: string): string =>
  [
    `${hour}:05:51.100000+00:00 node-7 kubelet[2269]: I0528 ${hour}:05:51.100000    2269 kuberuntime_container.go:779] "Killing container with a grace period" pod="sre/web-0" podUID="${uid}" containerName="web" containerID="containerd://${id}" gracePeriod=1\n`,
    `${hour}:05:52.100000+00:00 node-7 kubelet[2269]: I0528 ${hour}:05:52.100000    2269 kubelet.go:2453] "SyncLoop (PLEG): event for pod" pod="sre/web-0" event={"ID":"${uid}","Type":"ContainerDied","Data":"${id}"}\n`,
  ]
    .map((text) => `2026-05-28T${text}`)
    .join('');

/** An eviction with the end of the container, and another end of a pod with the same name an hour later. */
const iso = (text: string): string => text.replaceAll(/^May 28 ([\d:]+) /gm, '2026-05-28T$1.514706+00:00 ');
const AGAIN = iso(NEW) + died('17', UID.replace('1', '2'), ID.replace('b', 'c'));
const BOTH = `${iso(NEW).split('\n').slice(0, 2).join('\n')}\n${died('16', UID, ID)}${iso(NEW).split('\n')[2] ?? ''}\n${died('17', UID.replace('1', '2'), ID.replace('b', 'c'))}`;

describe('an eviction in the log of the kubelet', () => {
  it.each([
    ['since 1.21', NEW, 'ephemeral-storage'],
    ['up to 1.20', OLD, 'memory'],
    ['up to 1.8', OLDEST, 'inodes'],
    ['for a limit of its own', NEW.split('\n')[2] ?? '', undefined],
  ])('is named as likely: %s', async (_when, log, how) => {
    const { deaths } = answer(await readTexts({ 'kubelet.log': log }), {});
    expect(deaths).toMatchObject([
      { pod: 'sre/web-0', attribution: { killer: 'kubelet-eviction', confidence: 'likely' } },
    ]);
    expect(deaths[0]?.attribution.how).toBe(how);
    expect(deaths[0]?.claims).toContainEqual({ layer: 'kubelet', says: 'it evicted the pod', agrees: true });
  });

  it('is of the container that ended then, and of none of a later pod with that name', async () => {
    const { deaths } = answer(await readTexts({ 'kubelet.log': BOTH }), { isList: true });
    expect(deaths.map(({ at, attribution }) => [at?.slice(11, 16), attribution.killer])).toEqual([
      ['17:05', 'unknown'],
      ['16:05', 'kubelet-eviction'],
    ]);
  });

  it('explains no end of a pod with that name an hour later', async () => {
    const { deaths } = answer(await readTexts({ 'kubelet.log': AGAIN }), { container: 'web' });
    expect(deaths.map(({ attribution }) => attribution.killer)).toEqual(['unknown']);
  });

  it('is no death of a pod that was only ranked', async () => {
    const log = NEW.split('\n').slice(0, 2).join('\n');
    const read = await readTexts({ 'kubelet.log': log });
    expect(() => answer(read, {})).toThrow(/no container that died/);
  });

  it('is none that a container prints, or that another program says', async () => {
    const said = 'node-7 app[3]: "Eviction manager: pod is evicted successfully" pod="sre/web-0"\n';
    const quoted = line(
      '16:05:54',
      '"Probe failed" pod="a/b" output="eviction manager: pod web-0_sre(1) is evicted successfully"',
    );
    const read = await readTexts({ 'log.txt': `May 28 16:05:54 ${said}${quoted}` });
    expect(() => answer(read, {})).toThrow(/no container that died/);
  });
});
