import { UsageError } from '../../model/errors/errors.ts';

/** Where a remote cache is. */
export interface RemoteAddress {
  /** Of the registry: `https://registry.example`. */
  readonly origin: string;
  /** Host and port, as Docker's config.json names it. */
  readonly host: string;
  /** `team/cache`. */
  readonly repository: string;
  /** For a person. */
  readonly title: string;
}

/** Names of a repository (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests). */
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

/** `oci://` is HTTPS; `oci+http://` is for a registry on a network of its own, and carries no credentials. */
const SCHEMES: Readonly<Record<string, string>> = { 'oci:': 'https:', 'oci+http:': 'http:' };

/**
 * Reads the address of a remote cache.
 *
 * @throws UsageError; what was given is not in it, because there may be a password.
 */
export function parseRemoteAddress(text: string): RemoteAddress {
  const [, scheme = '', credentials, host = '', repository = ''] =
    /^([a-z+]+:)\/\/([^/@]*@)?([^/@]+)\/(.+)$/.exec(text) ?? [];
  if (credentials !== undefined)
    throw refuse('it has credentials in it', `docker login ${host} keeps them in its config.json`);
  const protocol = SCHEMES[scheme];
  const url = protocol === undefined ? undefined : tryParse(`${protocol}//${host}`);
  if (url === undefined || url.pathname !== '/' || url.search !== '')
    throw refuse('it is not an address', 'write oci://<host>/<name>, such as oci://registry.example/team/cache');
  if (!REPOSITORY.test(repository))
    throw refuse(
      'its name is not that of a repository',
      'use lower-case letters, digits, ".", "-", "_" and "/", and no tag',
    );
  return { origin: url.origin, host: url.host, repository, title: `${url.host}/${repository}` };
}

/** Whether what is sent to this URL stays on this machine, or is encrypted: only then are credentials sent. */
export function maySendCredentials({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function tryParse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

function refuse(why: string, tryNext: string): UsageError {
  return new UsageError(`WHODUNIT_REMOTE_CACHE cannot be used: ${why}`, { tryNext });
}
