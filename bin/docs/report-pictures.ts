import type { Browser, Page } from 'playwright-core';
import { openReport, type Look, type OpenReport } from '../../test/report/report-page.ts';

/** A picture of the report, and what it must show. */
interface ReportPicture {
  /** Its file, below `docs/images/`. */
  readonly file: string;
  readonly look: Look;
  /** What is at the top of the picture; undefined for the beginning of the page. */
  readonly from?: string;
  /** Texts that are in the picture. */
  readonly shows: readonly string[];
  /** What the pages say below it; undefined where no page shows it. */
  readonly caption: string | undefined;
}

/** A cell that passed before, and failed when containerd lost an event. */
const FAILED = 'default/cron-job-oom';
/** Two cells of which only one failed. */
const UNLIKE = 'containerd-2.4.2/oom-single-container';
const TWIN = `cgroupfs+cgroupfs_${UNLIKE}`;

const cellHash = (address: string): string => `#cell=${encodeURIComponent(address)}`;

const LOOKS = ([1280, 800, 390] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

const CAPTIONS: Readonly<Record<string, string>> = {
  'report-1280-light.png':
    'A report: the map of all cells, and beside it each failed cell with the field that did not hold',
  'report-390-dark.png': 'The same report on a phone, dark',
  'cell-1280-light.png':
    'The page of a failed cell: what was expected and observed, what to do, and all layers on one time axis',
  'flip-1280-light.png': 'What changed: cells with another verdict or killer than in the run before',
  'twin-1280-light.png':
    'A failed cell and the nearest other one, which passed with another cgroup driver: both time axes, and what differs',
};

const both = LOOKS.flatMap((look): Omit<ReportPicture, 'caption'>[] => {
  const name = `${look.width}-${look.scheme}.png`;
  const isWide = look.width === 1280;
  return [
    {
      file: `report-${name}`,
      look,
      shows: isWide ? ['All cells', 'Failed (', 'nobodyElseDies', 'expected', 'observed'] : [],
    },
    {
      file: `cell-${name}`,
      look: { ...look, hash: cellHash(FAILED) },
      shows: [FAILED, 'failed', ...(isWide ? ['reason', 'OOMKilled', 'Error', 'step by step'] : [])],
    },
  ];
});

/** The pictures of the report in README.md and docs/report.md, and the same two pages in each width, light and dark. */
export const REPORT_PICTURES: readonly ReportPicture[] = [
  ...both,
  {
    file: 'flip-1280-light.png',
    look: { width: 1280 },
    from: '#flips',
    shows: ['Changed since the last run of the same cells', FAILED, 'verdict passed'],
  },
  {
    file: 'twin-1280-light.png',
    look: { width: 1280, hash: cellHash(UNLIKE) },
    from: '#cell h3:text-is("compared with the nearest other cell")',
    shows: ['compared with the nearest other cell', UNLIKE, TWIN, 'drivers'],
  },
].map((picture) => ({ ...picture, caption: CAPTIONS[picture.file] }));

/** Opens what a picture shows. */
export async function openPicture(
  browser: Browser,
  report: string,
  { look, from }: ReportPicture,
): Promise<OpenReport> {
  const open = await openReport(browser, report, look);
  const top = from === undefined ? null : await open.page.locator(from).boundingBox();
  if (top !== null) await open.page.evaluate(`scrollTo(0, ${top.y})`);
  return open;
}

/** The texts that a picture has to show and that are not in sight. */
export async function findUnseen(page: Page, { shows }: ReportPicture): Promise<string[]> {
  const seen = await Promise.all(shows.map((text) => isInSight(page, text)));
  return shows.filter((_, index) => seen[index] !== true);
}

/** Whether a text is on the screen, wherever it is repeated. */
async function isInSight(page: Page, text: string): Promise<boolean> {
  const size = page.viewportSize();
  const boxes = await Promise.all((await page.getByText(text).all()).map((place) => place.boundingBox()));
  return boxes.some(
    (box) =>
      box !== null &&
      size !== null &&
      box.y >= 0 &&
      box.y + Math.min(box.height, 20) <= size.height &&
      box.x < size.width,
  );
}
