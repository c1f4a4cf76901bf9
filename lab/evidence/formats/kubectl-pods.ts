import type { RowEntry } from './entry.ts';
import { AGE } from './event-rows.ts';
import type { Format } from './format.ts';

const HEADER = /^\s*(?:NAMESPACE\s+)?NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\b/;
/** Of a DNS name: at most 253 letters, as a line may have millions. */
const NAME = '[a-z0-9][a-z0-9.-]{0,252}';
/** How a row begins, up to its status: namespace, name, ready. */
export const POD_ROW_BEGIN = String.raw`^\s*(?:(?<namespace>${NAME})\s+)?(?<name>${NAME})\s+\d+/\d+\s+(?=[A-Z])`;
/** Since 1.22 the restarts have the age of the last end. */
const ROW = new RegExp(
  String.raw`${POD_ROW_BEGIN}(?<status>[A-Z][\w:-]*)\s+(?<restarts>\d+)(?: \(${AGE} ago\))?\s+${AGE}(?:\s|$)`,
);

/** What printPod of pkg/printers/internalversion/printers.go writes where a container does not run after an end. */
const IS_OVER =
  /^(?:OOMKilled|Error|Completed|StartError|ContainerCannotRun|ContainerStatusUnknown|CrashLoopBackOff|(?:ExitCode|Signal):\d+)$/;

/** Tables of `kubectl get pods`, also where only rows of them were pasted: how often containers of a pod ended. */
export const kubectlPods: Format = {
  name: 'kubectl get pods',
  classify: (lines) => (lines.slice(0, 3).some((text) => HEADER.test(text)) ? 0.9 : 0),
  createReader: () => ({
    line: ({ number, text }) => {
      if (HEADER.test(text)) return [];
      const row = ROW.exec(text)?.groups;
      return row === undefined ? 'unread' : [entryOf(number, row)];
    },
    end: () => [],
  }),
  begins: (text) => HEADER.test(text) || ROW.test(text),
};

function entryOf(
  line: number,
  { namespace, name = '', status = '', restarts }: Readonly<Record<string, string | undefined>>,
): RowEntry {
  return { kind: 'row', line, namespace, name, ends: Number(restarts) + (IS_OVER.test(status) ? 1 : 0) };
}
