import { existsSync, statSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { PassThrough, Readable } from 'node:stream';
import { CoreV1Api, Exec, KubeConfig, type V1Pod, type V1Status } from '@kubernetes/client-node';
import { HostError, UsageError } from '../../model/errors/errors.ts';
import { shellWord } from '../../model/text/shell.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { connectionErrorText, type ExecConnection } from './kubernetes-exec.ts';
import { askApi, type ApiAnswer } from './kubernetes-get.ts';

export type { V1Node, V1Pod } from '@kubernetes/client-node';

/** A cluster that the lab did not build, through somebody's kubeconfig. It is read, but for one pod of ours. */
export interface ForeignCluster {
  /** The address of its API, for messages. */
  readonly server: string;
  /** GET of a raw path; rejects when nothing answers. */
  get(path: string): Promise<ApiAnswer>;
  /** Makes a pod. Rejects with the API's own words, as `apiErrorText` reads them. */
  createPod(namespace: string, pod: V1Pod): Promise<V1Pod>;
  deletePod(namespace: string, name: string): Promise<void>;
  /** Runs a shell in a container with a script as its input; resolves to what it printed when it ended. */
  runScript(
    pod: { readonly name: string; readonly namespace: string; readonly container: string },
    command: readonly string[],
    script: string,
  ): Promise<string>;
}

/** What a script may print: the window of a death in the journals of a busy node is some MB. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Opens the cluster of a kubeconfig.
 *
 * @param context default: the current one of the file.
 * @throws UsageError when there is no such file or no such context.
 */
export function openForeignCluster(
  { kubeconfig, context }: { readonly kubeconfig: string; readonly context?: string },
  signal: AbortSignal,
): ForeignCluster {
  const config = loadConfig(kubeconfig, context);
  const server = config.getCurrentCluster()?.server ?? '';
  const core = config.makeApiClient(CoreV1Api);
  return {
    server,
    get: async (path) => get(config, `${server}${path}`, signal),
    createPod: (namespace, body) => core.createNamespacedPod({ namespace, body }),
    deletePod: async (namespace, name) => {
      await core.deleteNamespacedPod({ namespace, name, gracePeriodSeconds: 0 });
    },
    runScript: (pod, command, script) => runScript(config, { ...pod, command, script }, signal),
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function loadConfig(path: string, context: string | undefined): KubeConfig {
  const file = shellWord(path);
  if (!isFile(path))
    throw new UsageError(
      existsSync(path) ? `${file} is not a file, and a kubeconfig is one` : `there is no kubeconfig ${file}`,
      { tryNext: 'kubectl config view --flatten > kubeconfig.yaml, then --kubeconfig kubeconfig.yaml' },
    );
  const config = new KubeConfig();
  try {
    config.loadFromFile(path);
  } catch (error) {
    throw new UsageError(`${file} is not a kubeconfig: its clusters, users and contexts cannot be read`, {
      tryNext: 'kubectl config view --flatten > kubeconfig.yaml, then --kubeconfig kubeconfig.yaml',
      cause: error,
    });
  }
  const known = config.getContexts().map(({ name }) => name);
  const chosen = context ?? config.getCurrentContext();
  if (!known.includes(chosen))
    throw new UsageError(
      context === undefined ? `${file} has no current context` : `${file} has no context "${context}"`,
      {
        tryNext:
          known.length === 0
            ? 'give the file that kubectl uses'
            : `--context ${known.map(shellWord).join(' | ')}`,
      },
    );
  config.setCurrentContext(chosen);
  if (config.getCurrentCluster() === null)
    throw new UsageError(`context "${chosen}" of ${file} names no cluster of it`);
  return config;
}

async function get(config: KubeConfig, url: string, signal: AbortSignal): Promise<ApiAnswer> {
  const options = { signal, timeout: TIME_LIMITS.api.begins.ms };
  await takeCredentials(config, options, signal);
  try {
    return await askApi(url, { ...options, maxBytes: MAX_OUTPUT_BYTES });
  } catch (error) {
    if (signal.aborted) throw error;
    throw refuse(`the API of the kubeconfig does not answer: ${config.getCurrentCluster()?.server}`, error);
  }
}

/** Its credentials may be files, or come from a program that the kubeconfig names (`exec`), as with kubectl. */
async function takeCredentials(
  config: KubeConfig,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMITS.api.script.ms)]);
  const late = new Promise<never>((_, fail) =>
    limit.addEventListener('abort', () => fail(limit.reason as Error), { once: true }),
  );
  try {
    await Promise.race([config.applyToHTTPSOptions(options), late]);
  } catch (error) {
    if (signal.aborted) throw error;
    throw refuse('the kubeconfig gives no credentials', error);
  }
}

function refuse(what: string, cause: unknown): HostError {
  return new HostError('LAB_API', what, {
    lastSeen: (cause as Error).message,
    tryNext: 'ask the same with kubectl: kubectl --kubeconfig … get pods',
    cause,
  });
}

interface Script {
  readonly name: string;
  readonly namespace: string;
  readonly container: string;
  readonly command: readonly string[];
  readonly script: string;
}

/** The end of input cannot be sent over this protocol: the script has to end by itself. */
async function runScript(config: KubeConfig, input: Script, signal: AbortSignal): Promise<string> {
  const { name, namespace, container, command, script } = input;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMITS.api.script.ms)]);
  const fail = (why: string, cause?: unknown): HostError =>
    new HostError('LAB_KUBERNETES_EXEC', `${command.join(' ')} did not end in ${namespace}/${name}`, {
      lastSeen: why,
      tryNext: 'add --print-commands, run them by hand, and give the files to autopsy',
      cause,
    });
  const output = new PassThrough();
  const errors = new PassThrough();
  const [printed, complained] = [collect(output), collect(errors)];
  let connection: ExecConnection | undefined;
  try {
    const status = await new Promise<V1Status>((resolve, reject) => {
      limit.addEventListener('abort', () => reject(fail('it took too long, or was interrupted')), {
        once: true,
      });
      const opened: Promise<unknown> = new Exec(config).exec(
        namespace,
        name,
        container,
        [...command],
        output,
        errors,
        Readable.from([Buffer.from(script)]),
        false,
        resolve,
      );
      opened.then(
        (socket) => {
          connection = socket as ExecConnection;
          connection.onclose = () => reject(fail('the connection was closed'));
        },
        (error: unknown) => reject(fail(connectionErrorText(error), error)),
      );
    });
    output.end();
    errors.end();
    const [text, why] = await Promise.all([printed, complained]);
    if (status.status !== 'Success') throw fail(why.trim() || (status.message ?? 'refused without a reason'));
    return text;
  } finally {
    connection?.close();
  }
}

async function collect(stream: PassThrough): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes <= MAX_OUTPUT_BYTES) pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
