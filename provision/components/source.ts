import { join } from 'node:path';
import type { DebianArchive } from '../../lab/model/components/component-schema.ts';
import type { ComponentLock } from '../../lab/model/components/component-lock.ts';
import type { Download } from '../../lab/model/components/components.ts';
import { CommandError, HostError } from '../../lab/model/errors/errors.ts';
import type { Host } from '../../lab/model/host/host.ts';
import type { BuildFacts } from './component-record.ts';
import type { Go } from './go.ts';

/** What components need of the outside world; without `download`, `release` sources count as unavailable. */
export type ComponentHost = Host & {
  readonly download?: Download;
  /** Nothing is taken when the lock of the project does not have its digest (`--locked`). */
  readonly locked?: boolean;
};

/** What every source works with while it fills a new cache entry. */
export interface BuildContext {
  readonly host: ComponentHost;
  /** Name and version for messages: `etcd 3.6.5`. */
  readonly title: string;
  readonly component: string;
  readonly version: string;
  /** Where packages of Debian come from. */
  readonly debian: DebianArchive;
  /** What is known by its digest already. */
  readonly lock: ComponentLock;
  /** Programs go here, and nothing else. */
  readonly outFolder: string;
  /** Scratch folder, removed afterwards. */
  readonly workFolder: string;
  /** Everything the tools print, kept when they fail. */
  readonly logFile: string;
  readonly getGo: () => Promise<Go>;
  /** Shows one line of progress. */
  readonly update: (detail: string) => void;
}

/** A source either makes the programs or is not available. Then the next source is tried. */
export type SourceResult = { readonly ok: true; readonly facts: BuildFacts } | NotAvailable;

/** A source that does not have a version, or cannot be asked for it. */
export interface NotAvailable {
  readonly ok: false;
  readonly unavailable: string;
  /** It was said before in this run: its host does not answer. */
  readonly knownBefore?: true;
}

/** Thrown while an entry is made, when its source does not have the version. */
export class Unavailable extends Error {
  readonly result: NotAvailable;
  constructor(result: NotAvailable) {
    super(result.unavailable);
    this.result = result;
  }
}

/** Where the output of the tools that make a component is kept. */
export function buildLog(cacheFolder: string, component: string, version: string): string {
  return join(cacheFolder, `${component}-${version}.log`);
}

/** Wraps the failure of a build tool with the log and what to try; an interruption stays what it is. */
export function explainFailure(error: unknown, context: Pick<BuildContext, 'title' | 'logFile'>): unknown {
  if (!(error instanceof CommandError) || error.failure === 'aborted') return error;
  return new HostError('LAB_COMPONENT_BUILD', `${context.title} could not be built\n${error.message}`, {
    lastSeen: error.tail.split('\n').at(-1) ?? '',
    tryNext:
      'read the log below; a full disk, too little memory and a network that stops are the usual causes',
    log: context.logFile,
    cause: error,
  });
}
