import { Writable } from 'node:stream';
import { Exec, type KubeConfig, type V1Status } from '@kubernetes/client-node';
import { errorText, HostError, InterruptedError } from '../../model/errors/errors.ts';
import { isObject } from '../../model/files/parse-json.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';

/** A container, and the process to be started in it. */
export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** It has to print something: this shows that it runs. */
  readonly command: readonly string[];
}

/**
 * Starts a process in a container, as `kubectl exec` does. Resolves as soon as it has printed something or has ended.
 * It lives on when the connection is closed, unless it reads or writes.
 *
 * @throws HostError LAB_KUBERNETES_EXEC when the API refused it, or it printed nothing in time; InterruptedError.
 */
export async function startInContainer(
  config: KubeConfig,
  signal: AbortSignal,
  request: ExecRequest,
): Promise<{ close(): void }> {
  const { namespace, pod, container, command } = request;
  const fail = (why: string): HostError =>
    new HostError('LAB_KUBERNETES_EXEC', `${command.join(' ')} was not started in ${namespace}/${pod}`, {
      lastSeen: why,
      tryNext: 'npx whodunit logs kubelet; a command must print something when it starts',
    });
  const answer = openAnswer();
  const output = new Writable({
    write: (_chunk, _encoding, done) => {
      answer.resolve();
      done();
    },
  });
  const timer = setTimeout(
    () => answer.reject(fail(`it printed nothing within ${TIME_LIMITS.api.exec.ms / 1000} s`)),
    TIME_LIMITS.api.exec.ms,
  );
  const onAbort = (): void => answer.reject(new InterruptedError());
  signal.addEventListener('abort', onAbort, { once: true });
  const onStatus = (status: V1Status): void => {
    if (didRun(status)) answer.resolve();
    else answer.reject(fail(status.message ?? 'refused without a reason'));
  };
  try {
    const opened: unknown = await new Exec(config)
      .exec(namespace, pod, container, [...command], output, output, null, false, onStatus)
      .catch((error: unknown) => Promise.reject(fail(connectionErrorText(error))));
    const connection = opened as ExecConnection;
    connection.onclose = () => answer.reject(fail('the connection was closed before a word of it'));
    await answer.promise;
    return connection;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Why a connection was not opened: the client rejects with an event of it, which is no error. */
export function connectionErrorText(error: unknown): string {
  const { message } = isObject(error) ? error : {};
  return typeof message === 'string' ? message : errorText(error);
}

/** What the client opens; its own type names a package that we do not have. */
export interface ExecConnection {
  close(): void;
  onclose: (() => void) | null;
}

/** A process that ended with a code did run (`NonZeroExitCodeReason` of k8s.io/apimachinery). */
function didRun({ status, reason }: V1Status): boolean {
  return status === 'Success' || reason === 'NonZeroExitCode';
}

interface Answer {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

/** The first event settles the call; later ones change nothing. */
function openAnswer(): Answer {
  let resolve = (): void => undefined;
  let reject = (_error: Error): void => undefined;
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  return { promise, resolve: () => resolve(), reject: (error) => reject(error) };
}
