import type { ObjectEntry, RowEntry } from './entry.ts';
import { AGE } from './event-rows.ts';
import type { Format } from './format.ts';

type Groups = Readonly<Record<string, string | undefined>>;

/** k9s has other columns, and an arrow at the one by which it sorts. */
const HEADER = /^\s*(?:NAMESPACE[↑↓]?\s+)?NAME[↑↓]?\s+(?:PF\s+)?READY\s+(?:STATUS|RESTARTS)\b/;
/** Of a DNS name: at most 253 letters, as a line may have millions. */
const NAME = '[a-z0-9][a-z0-9.-]{0,252}';
/** How a row begins, up to its status: namespace, name, ready. A table of several kinds has the kind before the name. */
export const POD_ROW_BEGIN = String.raw`^\s*(?:(?<namespace>${NAME})\s+)?(?:pod/)?(?<name>${NAME})\s+\d+/\d+\s+(?=[A-Z])`;
const STATUS = String.raw`(?<status>(?:Init:)?[A-Z][\w:/-]*)`;
/** Since 1.22 the restarts have the age of the last end. */
const ROW = new RegExp(
  String.raw`${POD_ROW_BEGIN}${STATUS}\s+(?<restarts>\d+)(?: \(${AGE} ago\))?\s+${AGE}(?:\s|$)`,
);
/** A row of the screen of k9s, whose columns are in either order. */
const K9S = new RegExp(
  String.raw`^\s*(?:(?<namespace>${NAME})\s+)?(?<name>${NAME})\s+[●Ⓕ]\s+\d+/\d+\s+(?:(?<restarts>\d+)\s+${STATUS}|(?<status2>(?:Init:)?[A-Z][\w:/-]*)\s+(?<restarts2>\d+))\s`,
);

/** What printPod of pkg/printers/internalversion/printers.go writes where a container does not run after an end. */
const IS_OVER =
  /^(?:OOMKilled|Error|Completed|StartError|ContainerCannotRun|ContainerStatusUnknown|CrashLoopBackOff|(?:ExitCode|Signal):\d+)$/;
/** Of these, what the whole pod is called. */
const OF_POD =
  /^(?:Evicted|DeadlineExceeded|Preempting|Terminated|Shutdown|NodeShutdown|NodeLost|UnexpectedAdmissionError)$/;

/** Tables of `kubectl get pods`, also where only rows of them were pasted: how often containers of a pod ended. */
export const kubectlPods: Format = {
  name: 'kubectl get pods',
  classify: (lines) => (lines.slice(0, 3).some((text) => HEADER.test(text)) ? 0.9 : 0),
  createReader: () => ({
    line: ({ number, text }) => {
      if (HEADER.test(text)) return [];
      const row = rowIn(text);
      return row === undefined ? 'unread' : [entryOf(number, row)];
    },
    end: () => [],
  }),
  begins: (text) => HEADER.test(text) || rowIn(text) !== undefined,
};

function rowIn(text: string): Groups | undefined {
  const found = (ROW.exec(text) ?? K9S.exec(text))?.groups as Groups | undefined;
  if (found === undefined) return undefined;
  const { status2, restarts2 } = found;
  return status2 === undefined ? found : { ...found, status: status2, restarts: restarts2 };
}

function entryOf(line: number, { namespace, name = '', status = '', restarts }: Groups): RowEntry {
  const ends = Number(restarts) + (IS_OVER.test(status) ? 1 : 0);
  const isTold = ends > 0 || OF_POD.test(status);
  const tells = isTold ? podOf(line, { namespace, name, status, restarts: Number(restarts) }) : undefined;
  return { kind: 'row', line, namespace, name, ends, tells };
}

interface Told {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly status: string;
  readonly restarts: number;
  readonly exitCode?: number | undefined;
}

/** The pod of a row, as the API would have it; nothing tells which of its containers ended. */
function podOf(line: number, { namespace, name, status, restarts, exitCode }: Told): ObjectEntry {
  const [, kind, number] = /^(ExitCode|Signal):(\d+)$/.exec(status) ?? [];
  const isWaiting = status === 'CrashLoopBackOff' || !IS_OVER.test(status);
  const reason = isWaiting || kind !== undefined ? undefined : status;
  const code = exitCode ?? (kind === 'ExitCode' ? Number(number) : undefined);
  const signal = kind === 'Signal' ? Number(number) : undefined;
  const terminated = { reason, exitCode: code, signal };
  // An earlier end counts only with its code; of one that lasts the status tells.
  const lasts = code === undefined && IS_OVER.test(status);
  const container = {
    name: '',
    restartCount: restarts,
    ...(lasts ? { state: { terminated } } : { lastState: { terminated } }),
  };
  return {
    kind: 'object',
    what: 'pod',
    at: undefined,
    type: 'ADDED',
    line,
    object: {
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {},
      status: OF_POD.test(status)
        ? { phase: 'Failed', reason: status }
        : { phase: 'Running', containerStatuses: [container] },
    },
  };
}

const REASON =
  '(?<status>OOMKilled|Error|ContainerStatusUnknown|ContainerCannotRun|StartError|DeadlineExceeded|Evicted)';
/** `-o custom-columns` and `-o jsonpath` with a reason: columns have two blanks or a tab between them, and words one. */
const COLUMNS = new RegExp(
  String.raw`^\s*(?<first>(?=[\d.-]*[a-z])${NAME})(?:\t *| {2,})(?<second>[\w.<>:/-]+(?:\t *| {2,}))?(?:[\w.<>:/-]+(?:\t *| {2,})){0,2}?(?:(?<before>\d{1,3})(?:\t *| {2,}))?${REASON}(?:(?:\t *| {2,})(?<after>\d{1,3}))?(?:\s|$)`,
);
const CHOSEN_HEADER =
  /^\s*(?:NAMESPACE\s+)?(?:NAME|POD)(?:\s+[A-Z][A-Z_ -]*)*\s+(?:REASON|EXIT|CODE|LAST|STATE|TERMINATED)/;

/** Tables of pods whose columns somebody chose, where one of them is why a container ended. */
export const podColumns: Format = {
  name: 'kubectl get pods',
  classify: (lines) => (lines.slice(0, 3).some((text) => CHOSEN_HEADER.test(text)) ? 0.5 : 0),
  createReader: () => {
    let hasNamespace = false;
    return {
      line: ({ number, text }) => {
        if (CHOSEN_HEADER.test(text)) {
          hasNamespace = /^\s*NAMESPACE/.test(text);
          return [];
        }
        const found = COLUMNS.exec(text)?.groups as Groups | undefined;
        if (found === undefined) return 'unread';
        const { first = '', second, status = '', before, after } = found;
        const [namespace, name] = hasNamespace ? [first, second?.trim() ?? ''] : [undefined, first];
        const code = after ?? before;
        const exitCode = code === undefined ? undefined : Number(code);
        const tells = podOf(number, { namespace, name, status, restarts: 1, exitCode });
        return [{ kind: 'row', line: number, namespace, name, ends: undefined, tells }];
      },
      end: () => [],
    };
  },
  // Without a header, only what a template of kubectl put between columns tells such a row from any other table.
  begins: (text) => CHOSEN_HEADER.test(text) || (text.includes('\t') && COLUMNS.test(text)),
};
