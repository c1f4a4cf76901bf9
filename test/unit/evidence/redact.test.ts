import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redactFile } from '../../../lab/commands/saved/redact-file.ts';
import { createLineRedactor, redactText } from '../../../lab/evidence/redact.ts';
import { simpleCaptureNames } from '../../fixtures/evidence/load-capture.ts';
import { PLANTED as SEEN } from '../../fixtures/planted-secrets.ts';

/** Secrets that no tool would give anybody: made up for these tests. */
const BODY = 'MIIEpAIBAAKCAQEAplantedplantedplantedplantedplantedplantedplant0';
const LAST = 'plantedEnd==';
const KEY = ['-----BEGIN RSA PRIVATE KEY-----', BODY, BODY, LAST, '-----END RSA PRIVATE KEY-----'];
const BOOTSTRAP = 'abcdef.0123456789abcdef';
const JWT = `eyJhbGciOiJSUzI1NiJ9.${'cGxhbnRlZA'.repeat(3)}.c2lnbmF0dXJl`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What is planted, and what must not be found afterwards. */
const PLANTED: readonly [string, string, readonly string[]][] = [
  ['a private key over several lines', KEY.join('\n'), [BODY, LAST]],
  ['a private key in a line of JSON', JSON.stringify({ key: KEY.join('\n') }), [BODY, LAST]],
  ['a private key that was cut off', KEY.slice(0, 3).join('\n'), [BODY]],
  [
    'a private key behind what a log writes',
    KEY.map((line) => `10:00:00 stdout F ${line}`).join('\n'),
    [BODY],
  ],
  ['an encrypted key', [KEY[0], 'Proc-Type: 4,ENCRYPTED', '', BODY, LAST, KEY[4]].join('\n'), [BODY, LAST]],
  ['a key of SSH', `-----BEGIN OPENSSH PRIVATE KEY-----\n${BODY}\n-----END OPENSSH PRIVATE KEY-----`, [BODY]],
  ['a key as base64', `see ${base64(KEY.join('\n'))} there`, [base64(KEY.join('\n'))]],
  [
    'a kubeconfig',
    `users:\n- user:\n    client-key-data: ${base64('x'.repeat(40))}\n    token: pLanted-Token`,
    [base64('x'.repeat(40)), 'pLanted-Token'],
  ],
  [
    'a kubeconfig as JSON',
    JSON.stringify({ 'client-certificate-data': base64('certificate') }),
    [base64('certificate')],
  ],
  [
    'a kubeconfig in JSON in JSON',
    JSON.stringify({ a: JSON.stringify({ 'client-key-data': 'cGxhbnRlZGtleQ==' }) }),
    ['cGxhbnRlZGtleQ=='],
  ],
  [
    'a whole kubeconfig as base64',
    base64('users:\n- user:\n    client-key-data: cGxhbnRlZGtleQ==\n'),
    ['users:', 'Y2xpZW50LWtleS1kYXRh'],
  ],
  ['a bearer token', 'curl -H "Bearer planted0token-value"', ['planted0token-value']],
  ['a header', 'Authorization: Basic cGxhbnRlZDpwbGFudGVk', ['cGxhbnRlZDpwbGFudGVk']],
  ['a header as JSON', '{"authorization":["Bearer planted-secret"]}', ['planted-secret']],
  ['a token of a service account', `said ${JWT}.`, [JWT]],
  [
    'a bootstrap token',
    `kubeadm join 10.0.0.1:6443 --token ${BOOTSTRAP} --discovery-token-ca-cert-hash sha256:1`,
    [BOOTSTRAP],
  ],
  ['a bootstrap token as base64', `{"x":"${base64(BOOTSTRAP)}"}`, [base64(BOOTSTRAP)]],
  [
    'a bootstrap token as base64 of base64',
    base64(base64(`token ${BOOTSTRAP}`)),
    [base64(base64(`token ${BOOTSTRAP}`))],
  ],
  ['the key of the certificates', `--certificate-key ${'0a1b'.repeat(16)}`, ['0a1b0a1b']],
  [
    'a Secret of the API',
    JSON.stringify({
      at: 1,
      type: 'ADDED',
      object: { kind: 'Secret', data: { k: 'cGxhbnRlZA==' }, stringData: { s: 'planted' } },
    }),
    ['cGxhbnRlZA==', '"planted"'],
  ],
  [
    'a list of Secrets',
    JSON.stringify({ kind: 'SecretList', items: [{ data: { k: 'cGxhbnRlZA==' } }] }),
    ['cGxhbnRlZA=='],
  ],
  [
    'a Secret in an annotation',
    JSON.stringify({
      kind: 'Pod',
      metadata: {
        annotations: { 'last-applied': JSON.stringify({ kind: 'Secret', data: { k: 'cGxhbnRlZA==' } }) },
      },
    }),
    ['cGxhbnRlZA=='],
  ],
];

const FILES = ['kmsg.log', 'pods.jsonl', 'report.html', 'repro.md', 'junit.xml', 'no-ending'];

describe('what is planted', () => {
  it.each(PLANTED)('%s is gone from every kind of file, and no line with it', (_, text, secrets) => {
    const whole = `before\n${text}\nafter {"n":1}\n`;
    for (const name of FILES) {
      const redacted = redactFile(name, Buffer.from(whole)).toString();
      for (const secret of secrets) expect(redacted, name).not.toContain(secret);
      expect(redacted.split('\n')).toHaveLength(whole.split('\n').length);
      expect(redacted.split('\n').at(-2)).toBe('after {"n":1}');
    }
    const zipped = gunzipSync(redactFile('old.log.gz', gzipSync(whole))).toString();
    for (const secret of secrets) expect(zipped).not.toContain(secret);
  });

  it('is gone from JSON and YAML of several lines', () => {
    const secret = { kind: 'Secret', metadata: { name: 'x' }, data: { key: 'cGxhbnRlZA==' } };
    const json = redactText(JSON.stringify({ objects: [secret] }, null, 2), 'cell.json');
    const yaml = redactText(`kind: Pod\n---\nkind: Secret\ndata:\n  key: cGxhbnRlZA==\n`, 'replay.yaml');
    for (const text of [json, yaml]) expect(text).not.toContain('cGxhbnRlZA==');
    expect(JSON.parse(json)).toEqual({ objects: [{ ...secret, data: { key: '[redacted]' } }] });
    expect(yaml).toMatch(/^kind: Pod\n---\nkind: Secret/);
  });
});

describe('a secret that is seen in evidence', () => {
  it.each(SEEN)('is gone, and is counted: $what', ({ file, text, secret }) => {
    const before = '{"before":1}\n';
    const rules: string[] = [];
    const redacted = redactFile(file, Buffer.from(`${before}${text}\n`), (rule) =>
      rules.push(rule),
    ).toString();
    expect(redacted).not.toContain(secret);
    expect(redacted.startsWith(before)).toBe(true);
    expect(redacted.match(/\[redacted\]/g)).toHaveLength(rules.length);
    if (file.endsWith('.jsonl')) expect(() => JSON.parse(redacted.split('\n')[1]!) as unknown).not.toThrow();
  });

  it.each(SEEN)('is replaced once, whatever is done again: $what', ({ file, text }) => {
    const once = redactFile(file, Buffer.from(text));
    const rules: string[] = [];
    expect(redactFile(file, once, (rule) => rules.push(rule)).toString()).toBe(once.toString());
    expect(rules).toEqual([]);
  });

  it('keeps the names of variables, flags and programs', () => {
    const container = {
      env: [
        { name: 'A', value: 'x y' },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: 'z' } } },
      ],
      command: ['/bin/app', 'run'],
      args: ['--a=b', '--c', 'd', '-e', ''],
    };
    const { object } = JSON.parse(createLineRedactor()(JSON.stringify({ object: container }))) as {
      object: unknown;
    };
    expect(object).toEqual({
      env: [{ name: 'A', value: '[redacted]' }, container.env[1]],
      command: ['/bin/app', '[redacted]'],
      args: ['--a=[redacted]', '--c', '[redacted]', '-e', ''],
    });
  });
});

describe('what is no secret', () => {
  it.each([
    '{"kind":"Pod","spec":{"volumes":[{"projected":{"sources":[{"serviceAccountToken":{"path":"token"}}]}}]}}',
    'oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/kubepods.slice/kubepods-burstable.slice',
    `cri-containerd-${'0123456789abcdef'.repeat(4)}.scope`,
    'kubelet --authorization-mode=Webhook, "authorization":{"mode":"Webhook"}',
    '-----BEGIN CERTIFICATE-----',
    'Secret "x" not found',
    '{"metadata":{"name":"doomed.18e9ec1de587b648"}}',
    'MountVolume.SetUp failed for volume "x": secret "default/my-secret" not found, secret="default/my-secret"',
    'password: ""  token: null  secret=true  apiKey: ${API_KEY}',
    '--tls-private-key-file=/var/lib/kubelet/pki/kubelet.key --token-file=/etc/x --service-account-key=/etc/y',
    'pulling https://registry.example:5000/app@sha256:0123',
    '"secret":{"secretName":"x","defaultMode":420}',
    '{"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"x","key":"y"}}}]}',
  ])('stays: %s', (line) => expect(createLineRedactor()(line)).toBe(line));

  it('stays behind a key that was cut off', () => {
    const redact = createLineRedactor();
    const lines = [KEY[0]!, BODY, '{"kind":"process","pid":1}', 'oom_kill 1'].map(redact);
    expect(lines.slice(2)).toEqual(['{"kind":"process","pid":1}', 'oom_kill 1']);
  });

  it('stays in bytes that are not text', () => {
    const bytes = Buffer.from([0x00, 0xff, 0xfe, 0x0a, 0x80, 0x0a]);
    expect(redactFile('kmsg.log', bytes)).toEqual(bytes);
  });

  it('stays in the evidence of nodes, to the byte', () => {
    const folder = join(import.meta.dirname, '../../fixtures/evidence');
    const changed = simpleCaptureNames().flatMap((capture) =>
      readdirSync(join(folder, capture, 'node-1'), { encoding: 'utf8' })
        .filter((name) => {
          const bytes = readFileSync(join(folder, capture, 'node-1', name));
          return !redactFile(name, bytes).equals(bytes);
        })
        .map((name) => `${capture}/node-1/${name}`),
    );
    expect(changed).toEqual([]);
  });
});

describe('a secret of any length', () => {
  it.each([
    ['token: ', ''],
    ['authorization: Bearer ', ''],
    ['cookie: a=', ''],
    ['sessionid=', ''],
    ['"auth": "', '"'],
    ['password=', ''],
    ['password="', '"'],
    ['{"token":"', '"}'],
  ])('leaves nothing behind %s', (before, after) => {
    const redact = createLineRedactor();
    expect(redact(`${before}${'aB3d'.repeat(2500)}${after}`).length).toBeLessThan(40);
  });
});

/** Lines that a careless expression would go through once for each of their letters. */
const LONG = 1_000_000;
const SLOW: Readonly<Record<string, string>> = {
  'beginnings of tokens': 'eyJ-'.repeat(LONG),
  'words with dots': 'eyJhbGciOi.'.repeat(LONG),
  'beginnings of keys': '-----BEGIN PRIVATE KEY-----'.repeat(LONG / 10),
  'base64 that does not end a line': `${'A'.repeat(LONG)}!`,
  'base64 of a picture': 'iVBORw0KGg'.repeat(LONG),
  'blanks behind a name': `token${' '.repeat(LONG)}`,
  'names without a value': 'token '.repeat(LONG),
  'headers without a value': 'authorization: bearer '.repeat(LONG / 10),
  'a long token': `token: ${'aB3d'.repeat(LONG * 2)}`,
  'a long header': `authorization: Bearer ${'aB3d'.repeat(LONG * 2)}`,
  'a long cookie': `cookie: ${'a=b;'.repeat(LONG * 2)}`,
  'a long session': `sessionid=${'aB3d'.repeat(LONG * 2)}`,
  'long auth of a registry': `"auth": "${'aB3d'.repeat(LONG * 2)}"`,
  'a long password': `password="${'aB3d'.repeat(LONG * 2)}"`,
  'a long token in JSON': `{"token":"${'aB3d'.repeat(LONG * 2)}"}`,
  'a long word behind another': `x ${'aB3d'.repeat(LONG * 2)}!`,
  'a long token of GitHub': `ghp_${'aB3d'.repeat(LONG * 2)}`,
  'a long address': `https://a:${'b'.repeat(LONG * 8)}@c`,
  'many commas': `password=a${','.repeat(LONG * 2)}`,
  'many backslashes': `token${'\\'.repeat(LONG * 2)}`,
  'blanks only': ' '.repeat(LONG * 2),
  'a key that never ends': `-----BEGIN PRIVATE KEY-----${'A1b2'.repeat(LONG * 2)}`,
  'a kind of key that never ends': `-----BEGIN ${'A '.repeat(LONG)}`,
};

describe('a line that was made to take long', () => {
  // As V8 runs expressions in a process that has made many of them.
  beforeAll(() => {
    setFlagsFromString('--no-regexp-optimization');
  });
  afterAll(() => {
    setFlagsFromString('--regexp-optimization');
  });

  it.each(Object.entries(SLOW))('takes as long as it is, with %s', (_, line) => {
    const redact = createLineRedactor();
    // The second one is read as inside of a key.
    redact('-----BEGIN PRIVATE KEY-----');
    redact(line);
    expect(createLineRedactor()(line).length).toBeGreaterThan(0);
  });
});
