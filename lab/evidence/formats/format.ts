import type { Line } from '../lines.ts';
import type { Entry } from './entry.ts';

/** Names of formats, as a reader sees them. */
export type FormatName =
  | '/dev/kmsg'
  | 'dmesg'
  | 'dmesg -T'
  | 'dmesg --time-format iso'
  | 'dmesg -e'
  | 'dmesg -J'
  | 'talosctl dmesg'
  | 'Cloud Logging'
  | 'log as JSON'
  | 'log as CSV'
  | 'journalctl'
  | 'journalctl -o json'
  | 'journalctl -o export'
  | 'journalctl -o verbose'
  | 'journalctl -k -o cat'
  | 'earlyoom'
  | 'syslog'
  | 'klog'
  | 'klog JSON'
  | 'logfmt'
  | 'runtime JSON'
  | 'ctr events'
  | 'docker events'
  | 'API objects'
  | 'CRI objects'
  | 'docker inspect'
  | 'kubectl get events'
  | 'kubectl get pods'
  | 'kubectl describe'
  | 'docker ps'
  | 'crictl ps'
  | 'cgroup file'
  | 'kubelet metrics'
  | '/proc/vmstat'
  | '/proc/stat'
  | '/proc/mounts';

/** Reads one file line by line; entries come as soon as they are whole. */
export interface FormatReader {
  /** `unread` is a line that the format does not have. */
  readonly line: (line: Line) => readonly Entry[] | 'unread';
  /** What is left when the file is over. */
  readonly end: () => readonly Entry[];
  /** Whether a line goes on what the reader is in, although the format has no such line: a broken value. */
  readonly goesOn?: (text: string) => boolean;
  /** The name of what was read, where only the whole file tells it. */
  readonly name?: () => FormatName | undefined;
}

/** A format: how it is known by its lines, and how it is read. */
export interface Format {
  readonly name: FormatName;
  /**
   * How well the first lines of a file fit, from 0 to 1.
   *
   * @param path of the file, for formats that nothing but their place tells from others.
   */
  readonly classify: (lines: readonly string[], path: string) => number;
  readonly createReader: (path: string) => FormatReader;
  /** A whole object, with all that it holds, may be one line. */
  readonly isDocument?: true;
  /** Whether such a text may begin with a line, in the midst of others; undefined where nothing but a whole file tells. */
  readonly begins?: (text: string) => boolean;
  /** Of a format whose lines are read together: whether a line cannot be within it, so that it is over. */
  readonly ends?: (text: string) => boolean;
}

/** What an object of JSON or YAML turned out to be. */
export interface ReadObject {
  readonly name: FormatName;
  readonly entries: readonly Entry[];
}

/** Reads one line; undefined when it is not one of the format. */
export type ReadLine = (line: Line) => Entry | undefined;

/**
 * Builds a format whose lines are read each by itself. Indented lines go on the line before and count neither way.
 *
 * @param isIgnored lines that the tool adds.
 */
export function formatOfLines(
  name: FormatName,
  readLine: ReadLine,
  isIgnored: (text: string) => boolean = () => false,
): Format {
  return {
    name,
    classify: (lines) => {
      const counted = lines.filter((text) => !/^\s/.test(text) && !isIgnored(text));
      return shareOf(counted, (text) => readLine({ number: 1, text, cut: false }) !== undefined);
    },
    createReader: () => {
      let hasBegun = false;
      return {
        line: (line) => {
          const entry = readLine(line);
          hasBegun ||= entry !== undefined;
          if (entry !== undefined) return [entry];
          // What is indented goes on the line before, if that was one.
          return (hasBegun && /^\s/.test(line.text)) || isIgnored(line.text) ? [] : 'unread';
        },
        end: () => [],
      };
    },
    begins: (text) => readLine({ number: 1, text, cut: false }) !== undefined,
  };
}

/** Which part of the lines fits. */
export function shareOf(lines: readonly string[], isFit: (text: string) => boolean): number {
  return lines.length === 0 ? 0 : lines.filter(isFit).length / lines.length;
}
