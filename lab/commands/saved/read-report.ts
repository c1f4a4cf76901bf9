import type { ReportFile } from '../../case/facts/split-report.ts';
import { BUNDLE_LIMITS } from '../../drivers/bundles/bundle-file.ts';
import { BundleReading } from '../../drivers/bundles/bundle-reading.ts';
import { openBundle } from '../../drivers/bundles/open-bundle.ts';

/** So much of a file is read: nobody pastes more, and a log of that size is for `autopsy`. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A report as it was read. */
interface ReadReport {
  readonly files: readonly ReportFile[];
  readonly problems: readonly string[];
}

/** Reads the files of a report as text; what is not text is named. */
export async function readReport(words: readonly string[]): Promise<ReadReport> {
  const reading = new BundleReading(BUNDLE_LIMITS);
  const files: ReportFile[] = [];
  const problems: string[] = [];
  for await (const { path, pieces } of openBundle(words, process.stdin, reading)) {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const piece of pieces) {
      if (size < MOST_BYTES) chunks.push(piece.subarray(0, MOST_BYTES - size));
      size += piece.length;
    }
    const text = new TextDecoder().decode(Buffer.concat(chunks));
    if (size > MOST_BYTES) problems.push(`${path}: only the first ${MOST_BYTES / 1024 ** 2} MiB were read`);
    if (text.slice(0, 4096).includes('\0'))
      problems.push(`${path} is not text: npx whodunit autopsy reads archives and journals`);
    else files.push({ path, text });
  }
  return { files, problems: [...problems, ...reading.problems.map(({ path, why }) => `${path} ${why}`)] };
}
