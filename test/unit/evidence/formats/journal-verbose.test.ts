import { describe, expect, it } from 'vitest';
import { redactEvidence } from '../../../../lab/evidence/bundle/redact-bundle.ts';
import { ofKind, OOM, readTexts } from '../bundle/read-texts.ts';

/** As systemd 252 prints it. */
const entry = (
  message: string,
  more = '',
): string => `Sat 2026-11-21 03:23:59.005123 IST [s=8c0f;i=1b2;b=3f2a1c9e55a14f6e9d5e0a4a1c1b7d10;m=764b5c3;t=6440dd5a7d963;x=7d1]
    _BOOT_ID=3f2a1c9e55a14f6e9d5e0a4a1c1b7d10
    _HOSTNAME=node-1
    _TRANSPORT=kernel
    SYSLOG_IDENTIFIER=kernel
    SYSLOG_FACILITY=0
    _CMDLINE=eater --password=hunter2
    MESSAGE=${message}
${more}`;
const AT = Number.parseInt('6440dd5a7d963', 16) / 1000;

describe('journalctl -o verbose', () => {
  const text = entry(OOM[0]) + entry(OOM[1], '            and a second line\n');

  it('is read with the clocks and the writer of the journal', async () => {
    const bundle = await readTexts({ 'journal.txt': text });
    expect(
      bundle.sources.map(({ format, unread, clock, hasFacility }) => [format, unread, clock, hasFacility]),
    ).toEqual([['journalctl -o verbose', 0, 'written', true]]);
    expect(ofKind(bundle, 'kernel-killed').map(({ at, pid, ref }) => [at, pid, ref.line])).toEqual([
      [AT, 1735, 9],
    ]);
  });

  it('is saved without fields that a death does not need, and says the same', async () => {
    const saved = redactEvidence(text, 'journal.txt', () => undefined) ?? '';
    expect(saved).not.toContain('hunter2');
    expect(saved).not.toContain('second line');
    const kills = ofKind(await readTexts({ 'journal.txt': saved }), 'kernel-killed');
    expect(kills.map(({ at, pid, ref }) => [at, pid, ref.line])).toEqual([[AT, 1735, 9]]);
  });

  it('ends where something else begins', async () => {
    const bundle = await readTexts({
      'all.txt': `${text}-- Boot 3f2a --\n$ cat /proc/vmstat\nnr_free_pages 1\noom_kill 1\n`,
    });
    expect(ofKind(bundle, 'kernel-killed')).toHaveLength(1);
    expect(ofKind(bundle, 'node-beat')).toHaveLength(1);
  });
});
