import type { ReportFile } from '../../case/facts/split-report.ts';
import { BUNDLE_LIMITS, type BundleLimits, type OpenedFile } from '../../drivers/bundles/bundle-file.ts';
import { BundleReading } from '../../drivers/bundles/bundle-reading.ts';
import { openBundle } from '../../drivers/bundles/open-bundle.ts';
import type { Clock } from '../../model/host/host.ts';

const MIB = 1024 * 1024;

/** The most bytes that are read of one file. Nobody pastes more, and a log of that size is for `autopsy`. */
const MOST_BYTES = 16 * MIB;

/** Far more than a person pastes or attaches: a folder with more is not a report. Reading facts takes 0.5 s per MiB. */
const REPORT_LIMITS: BundleLimits = { ...BUNDLE_LIMITS, maxFiles: 1_000, maxBytes: 32 * MIB };

/** The longest time for reading files: in /proc and on a network some are slow. Standard input may wait for a person. */
const MOST_SECONDS = 60;

/** A file with a NUL byte this early is not text. */
const HEAD_BYTES = 4096;

/** A bug report as it was read. */
interface ReadReport {
  readonly files: readonly ReportFile[];
  /** What was not read, in words. */
  readonly problems: readonly string[];
}

/** Reads the files of a bug report as text. Files that are not text, and parts that are too large, are named as problems. */
export async function readBugReport(
  words: readonly string[],
  clock: Pick<Clock, 'elapsed'>,
): Promise<ReadReport> {
  const reading = new BundleReading(REPORT_LIMITS);
  const files: ReportFile[] = [];
  const problems: string[] = [];
  const endsAt = words.includes('-') ? Infinity : clock.elapsed() + MOST_SECONDS * 1000;
  for await (const file of openBundle(words, process.stdin, reading)) {
    const { path } = file;
    if (clock.elapsed() > endsAt) {
      problems.push(
        `${path} and the files after it were not read: that took more than ${MOST_SECONDS} s. Name only the files that matter`,
      );
      break;
    }
    const read = await readText(file);
    if (read === undefined)
      problems.push(`${path} is not text: npx whodunit autopsy reads archives and journals`);
    else {
      if (read.isCut) problems.push(`${path}: only the first ${MOST_BYTES / MIB} MiB were read`);
      files.push({ path, text: read.text });
    }
  }
  return { files, problems: [...problems, ...reading.problems.map(({ path, why }) => `${path} ${why}`)] };
}

/** Reads at most MOST_BYTES of a file; undefined when it is not text. */
async function readText({
  pieces,
}: OpenedFile): Promise<{ readonly text: string; readonly isCut: boolean } | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    if (size < HEAD_BYTES && piece.subarray(0, HEAD_BYTES - size).includes(0)) return undefined;
    chunks.push(piece.subarray(0, MOST_BYTES - size));
    size += piece.length;
    if (size > MOST_BYTES) break;
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), isCut: size > MOST_BYTES };
}
