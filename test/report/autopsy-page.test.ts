import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAutopsyPage } from '../../bin/autopsy-page.ts';
import { startBrowser, STEP_MS } from './browser.ts';
import { findFaults, LOOKS } from './report-page.ts';

const PASTES = 'test/fixtures/pastes';
const MAX_BYTES = 1_500_000;

let folder: string;
let file: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-autopsy-'));
  file = join(folder, 'autopsy.html');
  writeFileSync(file, await buildAutopsyPage());
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

interface Opened {
  readonly page: Page;
  /** Addresses that were asked for, and errors of the page. */
  readonly faults: string[];
}

async function open(colorScheme: 'light' | 'dark' = 'light', width = 1280): Promise<Opened> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  page.setDefaultTimeout(STEP_MS);
  const faults: string[] = [];
  page.on('request', (request) => {
    if (!/^(?:file|blob):/.test(request.url())) faults.push(request.url());
  });
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (said) => {
    if (said.type() === 'error') faults.push(said.text());
  });
  await page.goto(`file://${file}`);
  return { page, faults };
}

async function ask(page: Page, input: string, { pod, container }: Asked): Promise<void> {
  await page.setInputFiles('#pick-folder', input);
  await page.fill('#pod', pod);
  await page.fill('#container', container ?? '');
  await page.click('text=Who did it?');
  await page.waitForSelector('#answer [data-save], #answer .problem');
}

interface Asked {
  readonly pod: string;
  readonly container?: string;
}

describe('the page', () => {
  it.each(readdirSync(PASTES))('answers %s as the command does, byte for byte', async (name) => {
    const asked = JSON.parse(readFileSync(join(PASTES, name, 'expected.json'), 'utf8')) as Asked;
    const { page, faults } = await open();
    await ask(page, join(PASTES, name, 'input'), asked);
    const download = page.waitForEvent('download');
    await page.click('[data-save]');
    const saved = readFileSync(await (await download).path(), 'utf8');
    const { pod, container } = asked;
    const words = [
      'autopsy',
      'input',
      '--json',
      '--pod',
      pod,
      ...(container === undefined ? [] : ['--container', container]),
    ];
    const command = spawnSync(process.execPath, [join(process.cwd(), 'bin/whodunit.mjs'), ...words], {
      cwd: join(PASTES, name),
      encoding: 'utf8',
    });
    expect(saved).toBe(command.stdout);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('is one file of at most 1.5 MB, and its policy allows no connection', () => {
    const text = readFileSync(file, 'utf8');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
    expect(text).toContain("connect-src 'none'");
    expect(text).not.toMatch(/(?:src|href)="https?:/);
  });

  it('reads a log in UTF-16, as PowerShell writes it', async () => {
    const { page } = await open();
    const text = readFileSync(join(PASTES, 'p01-oom-dmesg-T/input/dmesg.txt'), 'utf8');
    const buffer = Buffer.from(`\ufeff${text}`, 'utf16le');
    await page.setInputFiles('#pick', { name: 'dmesg.txt', mimeType: 'text/plain', buffer });
    await page.click('text=Who did it?');
    await page.waitForSelector('#answer [data-save], #answer .problem');
    expect(await page.textContent('#answer')).toContain('memcg-oom');
    await page.close();
  });

  it.each([
    ['a tar', 'sos.tar', ['-cf']],
    ['a tar that gzip packed', 'sos.tgz', ['-czf']],
    ['a tar that xz packed', 'sos.txt', ['-cJf']],
  ])('refuses %s, which the command unpacks, whatever its name is', async (_, name, how) => {
    const packed = join(folder, name);
    spawnSync('tar', [...how, packed, '-C', join(PASTES, 'p07-oom-sos'), 'input']);
    const { page, faults } = await open();
    await page.setInputFiles('#pick', packed);
    await page.click('text=Who did it?');
    await page.waitForSelector('#answer .problem');
    expect(await page.textContent('#answer')).toContain(`ask the command: npx whodunit autopsy ${name}`);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('unpacks what gzip packed, whatever its name is', async () => {
    const { page } = await open();
    const buffer = gzipSync(readFileSync(join(PASTES, 'p01-oom-dmesg-T/input/dmesg.txt')));
    await page.setInputFiles('#pick', { name: 'dmesg.log', mimeType: 'text/plain', buffer });
    await page.click('text=Who did it?');
    await page.waitForSelector('#answer [data-save]');
    expect(await page.textContent('#answer')).toContain('memcg-oom');
    await page.close();
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), /^\s*dmesg\.log\.gz is cut off: /],
    ['cut off before its sum', (bytes: Buffer) => bytes.subarray(0, -8), /^\s*dmesg\.log\.gz is cut off: /],
    [
      'damaged',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 99), Buffer.alloc(99, 0xff), bytes.subarray(198)]),
      /^\s*dmesg\.log\.gz is cut off or damaged: /,
    ],
  ])('says that a file which gzip packed is %s', async (_, spoil, says) => {
    const { page, faults } = await open();
    const buffer = spoil(gzipSync(readFileSync(join(PASTES, 'p01-oom-dmesg-T/input/dmesg.txt'))));
    await page.setInputFiles('#pick', { name: 'dmesg.log.gz', mimeType: 'application/gzip', buffer });
    await page.click('text=Who did it?');
    await page.waitForSelector('#answer .problem');
    expect(await page.textContent('#answer')).toMatch(says);
    expect(await page.textContent('#answer')).toContain('ask the command');
    expect(faults).toEqual([]);
    await page.close();
  });

  it('reads text that is pasted', async () => {
    const { page } = await open();
    await page.fill('#paste', readFileSync(join(PASTES, 'p01-oom-dmesg-T/input/dmesg.txt'), 'utf8'));
    await page.click('text=Who did it?');
    await page.waitForSelector('#answer [data-save]');
    expect(await page.textContent('#answer')).toContain('memcg-oom');
    await page.close();
  });

  it('reads a file that is dropped', async () => {
    const { page } = await open();
    const text = readFileSync(join(PASTES, 'p01-oom-dmesg-T/input/dmesg.txt'), 'utf8');
    const dropped = await page.evaluateHandle(
      `(() => { const all = new DataTransfer(); all.items.add(new File([${JSON.stringify(text)}], 'dmesg.txt')); return all; })()`,
    );
    await page.dispatchEvent('body', 'drop', { dataTransfer: dropped });
    await page.click('text=Who did it?');
    await page.waitForSelector('#answer [data-save]');
    expect(await page.textContent('#answer')).toContain('memcg-oom');
    await page.close();
  });

  it('lists every death when no pod is named, and a button asks for it', async () => {
    const { page } = await open();
    await page.setInputFiles('#pick-folder', join(PASTES, 'p02-oom-v1-kernlog', 'input'));
    await page.click('text=Who did it?');
    await page.click('#answer button[data-pod]');
    await page.waitForSelector('#answer .killer');
    expect(await page.textContent('#answer .killer')).toContain('memcg-oom');
    await page.close();
  });

  it('says in one message what is wrong, and treats hostile text as text', async () => {
    const { page, faults } = await open();
    await page.fill('#paste', '<img src=x onerror=alert(1)>\u001b[31m');
    await page.fill('#pod', 'default/<script>alert(2)</script>');
    await page.click('text=Who did it?');
    await page.waitForSelector('#answer .problem');
    expect(await page.locator('#answer img, #answer script').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  it.each(LOOKS)('has no fault of accessibility, and no overflow (%s, %i px)', async (scheme, width) => {
    const { page } = await open(scheme, width);
    await ask(page, join(PASTES, 'p07-oom-sos', 'input'), { pod: 'default/eater' });
    expect(await findFaults(page)).toEqual([]);
    const wide = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(wide).toBeLessThanOrEqual(0);
    await page.close();
  });
});
