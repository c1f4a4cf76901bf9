import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { STEP_MS } from './browser.ts';

/** How a page is opened. */
export interface Look {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  /** Whether the browser runs scripts. */
  readonly script?: boolean;
  /** What stands behind `#`. */
  readonly hash?: string;
}

/** The windows in which a page is searched for faults. */
export const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const;

/** The faults of accessibility of a page, each with its first place. */
export async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0]?.html))",
  );
}

/** A report in a browser, and everything that went wrong in it. */
export interface OpenReport {
  readonly page: Page;
  /** Messages of the console, errors of scripts, and requests for anything but the file itself. */
  readonly troubles: string[];
  readonly close: () => Promise<void>;
}

/** Opens the file of a report. */
export async function openReport(browser: Browser, file: string, look: Look = {}): Promise<OpenReport> {
  const { width = 1280, scheme = 'light', script = true, hash = '' } = look;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    javaScriptEnabled: script,
  });
  context.setDefaultTimeout(STEP_MS);
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  const troubles: string[] = [];
  page.on('console', (message) => troubles.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== url) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(`${url}${hash}`);
  return { page, troubles, close: () => context.close() };
}
