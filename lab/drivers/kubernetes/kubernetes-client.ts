import { X509Certificate } from 'node:crypto';
import { Agent, type AgentOptions } from 'node:https';
import { TLSSocket } from 'node:tls';
import { KubeConfig, type RequestContext } from '@kubernetes/client-node';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { askApi, type ApiAnswer } from './kubernetes-get.ts';

/** When a certificate is good for use; milliseconds since the epoch. */
export interface CertificateWindow {
  /** Which certificate, for messages. */
  readonly name: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * A kubeconfig whose requests share connections. The official client makes a new agent for each request (KubeConfig
 * .applySecurityAuthentication), so that each one pays for a TCP and a TLS handshake; in an emulated guest that is
 * more work than the answer. Each request has a time limit and ends with the signal. Watches keep connections of their
 * own.
 */
export class SharedConnections extends KubeConfig {
  #agent: Agent | undefined;
  #serving: CertificateWindow | undefined;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    super();
    this.#signal = signal;
  }

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context);
    context.setAgent(await this.agent());
    context.setSignal(AbortSignal.any([this.#signal, AbortSignal.timeout(TIME_LIMITS.api.request.ms)]));
  }

  /** GET of a whole address; rejects when nothing answers within 10 s, or the signal fires. */
  async get(url: string): Promise<ApiAnswer> {
    const options = {
      timeout: TIME_LIMITS.api.begins.ms,
      agent: await this.agent(),
      signal: this.#signal,
    };
    return askApi(url, options, (socket) => {
      if (socket instanceof TLSSocket) this.#rememberServing(socket);
    });
  }

  /** The windows of our client certificate, and of the API's own once `get` has been answered. */
  certificates(): CertificateWindow[] {
    const data = this.getCurrentUser()?.certData;
    const client =
      data === undefined
        ? []
        : [windowOf('the client certificate of the kubeconfig', Buffer.from(data, 'base64'))];
    return [...client, ...(this.#serving === undefined ? [] : [this.#serving])];
  }

  /** Drops all connections: they are dead after a restore or a reboot. The next request opens a new one. */
  close(): void {
    this.#agent?.destroy();
  }

  private async agent(): Promise<Agent> {
    if (this.#agent === undefined) {
      const options: AgentOptions = {};
      await this.applyToHTTPSOptions(options);
      const { ca, cert, key, rejectUnauthorized, servername } = options;
      this.#agent ??= new Agent({
        ca,
        cert,
        key,
        ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
        ...(servername === undefined ? {} : { servername }),
        keepAlive: true,
        timeout: TIME_LIMITS.api.idle.ms,
      });
    }
    return this.#agent;
  }

  /** A resumed TLS session carries no certificate; the first one did. */
  #rememberServing(socket: TLSSocket): void {
    const raw = socket.getPeerCertificate().raw as Buffer | undefined;
    if (raw !== undefined) this.#serving = windowOf("the API server's certificate", raw);
  }
}

function windowOf(name: string, content: Buffer): CertificateWindow {
  const certificate = new X509Certificate(content);
  return { name, fromMs: Date.parse(certificate.validFrom), untilMs: Date.parse(certificate.validTo) };
}
