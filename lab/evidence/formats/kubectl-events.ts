import type { Entry } from './entry.ts';
import type { Format, FormatReader } from './format.ts';

/** How kubectl calls kinds in a column. */
const KINDS: Readonly<Record<string, string>> = {
  pod: 'Pod',
  node: 'Node',
  job: 'Job',
  cronjob: 'CronJob',
  replicaset: 'ReplicaSet',
  deployment: 'Deployment',
  statefulset: 'StatefulSet',
  daemonset: 'DaemonSet',
};
const HEADER = /^(?:NAMESPACE +)?(?:LAST SEEN|LASTSEEN) +(?:.*)TYPE +REASON +(?:.*)MESSAGE/;

/** The table of `kubectl get events`: claims of what happened. Its ages are no times: nobody says when it was printed. */
export const kubectlEvents: Format = {
  name: 'kubectl get events',
  classify: (lines) => (lines.slice(0, 3).some((text) => HEADER.test(text)) ? 1 : 0),
  createReader,
  begins: (text) => HEADER.test(text),
};

function createReader(): FormatReader {
  let columns: readonly { readonly name: string; readonly from: number; readonly to: number | undefined }[] =
    [];
  return {
    line: ({ number, text }) => {
      if (HEADER.test(text)) {
        const found = [...text.matchAll(/\S+(?: \S+)*/g)];
        columns = found.map((column, index) => ({
          name: column[0],
          from: column.index,
          to: found[index + 1]?.index,
        }));
        return [];
      }
      if (columns.length === 0) return 'unread';
      const cells = Object.fromEntries(
        columns.map(({ name, from, to }) => [name, text.slice(from, to).trim()]),
      );
      const { REASON: reason = '', OBJECT: about = '', MESSAGE: message = '' } = cells;
      const [kind = '', name = ''] = about.split('/');
      if (reason === '' || name === '') return 'unread';
      return [
        eventOfRow(number, {
          reason,
          message,
          kind,
          name,
          type: cells['TYPE'],
          namespace: cells['NAMESPACE'],
        }),
      ];
    },
    end: () => [],
  };
}

/** What a table has of an event. */
interface Row {
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  readonly name: string;
  readonly type: string | undefined;
  readonly namespace: string | undefined;
  readonly component?: string | undefined;
}

/** Builds the event that a row of a table tells of, as the API would have it. */
export function eventOfRow(line: number, row: Row): Entry {
  const object = {
    kind: 'Event',
    involvedObject: { kind: KINDS[row.kind] ?? row.kind, name: row.name, namespace: row.namespace },
    reason: row.reason,
    message: row.message,
    type: row.type,
    source: { component: row.component },
  };
  return { kind: 'object', what: 'event', at: undefined, type: 'ADDED', object, line };
}
