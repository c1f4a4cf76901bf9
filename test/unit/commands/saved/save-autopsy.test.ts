import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, type AutopsyQuestion } from '../../../../lab/autopsy/answer.ts';
import { answerSaved, readSavedAutopsy } from '../../../../lab/commands/saved/read-saved-autopsy.ts';
import { saveAutopsy } from '../../../../lab/commands/saved/save-autopsy.ts';
import type { Autopsy } from '../../../../lab/model/saved/autopsy.ts';
import { REDACTIONS, type Redaction, type SavedAutopsy } from '../../../../lab/model/saved/saved-autopsy.ts';
import { plantSecrets } from '../../../fixtures/autopsy/planted-secrets.ts';
import { CAPTURES_FOLDER, sampledCaptureNames } from '../../../fixtures/evidence/load-capture.ts';
import { readTexts } from '../../evidence/bundle/read-texts.ts';

const PASTES = 'test/fixtures/pastes';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-saved-'));
});
afterEach(() => rmSync(base, { recursive: true }));

type Files = Readonly<Record<string, string>>;

/** The files below a folder, by their paths in it. */
function filesIn(folder: string): Files {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
}

interface Both {
  readonly before: Autopsy;
  readonly saved: SavedAutopsy;
  readonly folder: string;
}

async function save(files: Files, redact: Redaction, question: AutopsyQuestion): Promise<Both> {
  const bundle = await readTexts(files);
  const before = answer(bundle, question);
  const folder = join(base, redact);
  const kept = Object.entries(files).map(([path, text]) => ({ path, bytes: () => Buffer.from(text) }));
  const saved = await saveAutopsy({ folder, kept, bundle, autopsy: before, question, options: {}, redact });
  return { before, saved, folder };
}

function verdicts({ deaths }: Autopsy): object[] {
  return deaths.map(({ attribution: { killer, confidence, level = '' } }) => ({ killer, confidence, level }));
}

/** All that was written, names of files included. */
function written(folder: string): string {
  return Object.entries(filesIn(folder))
    .map(([path, text]) => `${path}\n${text}`)
    .join('\n');
}

describe.each(REDACTIONS)('what is saved without its %s', (redact) => {
  it.each(readdirSync(PASTES))('of %s is judged as before, again and again', async (name) => {
    const { before, saved, folder } = await save(filesIn(join(PASTES, name, 'input')), redact, {
      isList: true,
    });
    expect(before.deaths.length).toBeGreaterThan(0);
    expect(verdicts(saved.answer)).toEqual(verdicts(before));
    expect(await answerSaved(folder, readSavedAutopsy(folder))).toEqual(saved.answer);
  });

  it('has none of the secrets of a thread in one file, nor what people wrote in it', async () => {
    const { files, secrets } = plantSecrets();
    const posted = Object.entries(files).filter(([path]) =>
      /pod\.|describe|dmesg|kern|journal\.txt|kubelet/.test(path),
    );
    const thread = posted
      .map(([path, text]) => `My token is hunter-prose. ${path}:\n\n\`\`\`\n${text}\n\`\`\`\n`)
      .join('\n');
    const question = { pod: 'default/eater', container: 'eater', attempt: 0 };
    const { before, saved, folder } = await save({ 'thread.md': thread }, redact, question);
    const text = written(folder);
    expect([...secrets, 'hunter-prose'].filter((secret) => text.includes(secret))).toEqual([]);
    expect(verdicts(saved.answer)).toEqual(verdicts(before));
  });

  it('has none of the secrets that were in it', async () => {
    const { files, secrets } = plantSecrets();
    expect(secrets.length).toBeGreaterThanOrEqual(40);
    const { before, saved, folder } = await save(files, redact, {
      pod: 'default/eater',
      container: 'eater',
      attempt: 0,
    });
    expect(before.deaths[0]?.attribution.killer).toBe('memcg-oom');
    expect(saved.files).toHaveLength(Object.keys(files).length);
    const text = written(folder);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(verdicts(saved.answer)).toEqual(verdicts(before));
  });
});

describe('pseudonyms', () => {
  it.each(sampledCaptureNames())('of %s leave the answers, and no name', async (name) => {
    const files = filesIn(join(CAPTURES_FOLDER, name));
    const { before, saved, folder } = await save(files, 'strict', { isList: true });
    expect(verdicts(saved.answer)).toEqual(verdicts(before));
    expect(written(folder)).not.toMatch(/\bnode-[1-3]\b/);
  });

  it('are the same wherever a name is, and those of all clusters stay', async () => {
    const pod = {
      kind: 'Pod',
      metadata: {
        name: 'shop-6d5f9c77b-x2x1z',
        generateName: 'shop-6d5f9c77b-',
        namespace: 'acme',
        uid: 'u-1',
      },
      spec: {
        nodeName: 'worker7.acme.example',
        containers: [{ name: 'web', image: 'registry.acme.example/shop/web:1.2' }],
      },
      status: {
        phase: 'Running',
        hostIP: '10.20.30.40',
        podIPs: [{ ip: 'fd00:1::7' }],
        containerStatuses: [
          {
            name: 'web',
            image: 'registry.acme.example/shop/web:1.2',
            lastState: { terminated: { exitCode: 1, reason: 'Error' } },
          },
        ],
      },
    };
    const files = {
      'pod.json': JSON.stringify(pod),
      'acme/worker7/kubelet.log': [
        '2026-11-20T21:53:59.000000+00:00 worker7 kubelet[1]: I1120 21:53:59.000000 1 a.go:1] "SyncLoop (PLEG)" pod="acme/shop-6d5f9c77b-x2x1z" address="10.20.30.40:10250"',
        '2026-11-20T21:53:59.000000+00:00 worker7 kubelet[1]: I1120 21:53:59.000000 1 a.go:1] "SyncLoop (PLEG)" pod="kube-system/dns-1" address="127.0.0.1:10250"',
      ].join('\n'),
    };
    const { folder, saved } = await save(files, 'strict', { isList: true });
    const text = written(folder);
    for (const name of ['acme', 'shop', 'worker7', '10.20.30.40', 'fd00:1::7', 'dns-1'])
      expect(text, name).not.toContain(name);
    expect(text).toContain('kube-system');
    expect(text).toContain('127.0.0.1:10250');
    const [, own] = /pod="([^"]+)"/.exec(text) ?? [];
    expect(saved.answer.deaths[0]?.pod).toBe(own);
  });
});

describe('a saved folder', () => {
  it('has names that lead nowhere, whatever the files were called', async () => {
    const paste = filesIn(join(PASTES, 'p01-oom-dmesg-T', 'input'));
    const names = ['../../../etc/passwd', '/etc/cron.d/-rf', 'a\u001b[2J\n\u0000/..'];
    const files = Object.fromEntries(Object.values(paste).map((text, index) => [names[index] ?? '', text]));
    const { folder } = await save(files, 'secrets', { isList: true });
    expect(Object.keys(filesIn(folder)).sort()).toEqual([
      'autopsy.json',
      'files/0001-passwd',
      'files/0002-rf',
      expect.stringMatching(/^files\/0003-[\w.-]+$/) as string,
    ]);
  });

  it.each([
    ['another file', '../../secret'],
    ['a folder', 'files/..'],
  ])('whose record names %s is refused', async (_, saved) => {
    const { folder } = await save(filesIn(join(PASTES, 'p10-oom-api-only', 'input')), 'secrets', {
      isList: true,
    });
    const path = join(folder, 'autopsy.json');
    const record = JSON.parse(readFileSync(path, 'utf8')) as SavedAutopsy;
    writeFileSync(path, JSON.stringify({ ...record, files: [{ saved, path: 'a' }] }));
    expect(() => readSavedAutopsy(folder)).toThrow('is not a saved autopsy of this version');
  });

  it('is not written when the saved files say something else', async () => {
    const files = filesIn(join(PASTES, 'p01-oom-dmesg-T', 'input'));
    const bundle = await readTexts(files);
    const question = { isList: true };
    const kept = Object.entries(files)
      .filter(([path]) => path !== 'dmesg.txt')
      .map(([path, text]) => ({ path, bytes: () => Buffer.from(text) }));
    const folder = join(base, 'other');
    await expect(
      saveAutopsy({
        folder,
        kept,
        bundle,
        autopsy: answer(bundle, question),
        question,
        options: {},
        redact: 'secrets',
      }),
    ).rejects.toThrow('nothing was saved');
    expect(readdirSync(base)).toEqual([]);
  });
});
