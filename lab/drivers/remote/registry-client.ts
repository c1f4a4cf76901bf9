import type { RemoteAddress } from './address.ts';
import type { HttpAsk } from './http-ask.ts';
import { RegistrySession, workAgain, type GetCredentials } from './registry-session.ts';

/** Answers without a blob or a manifest: errors, and redirects. */
const MAX_SMALL_ANSWER = 1024 * 1024;
/** A manifest that is larger is refused by registries too (4 MiB). */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/** What a manifest of OCI 1.0 is; registries that know no artefacts take it too. */
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** One repository of a registry (https://github.com/opencontainers/distribution-spec/blob/main/spec.md). */
export interface RegistryClient {
  hasManifest(tag: string, signal: AbortSignal): Promise<boolean>;
  findManifest(tag: string, signal: AbortSignal): Promise<Buffer | undefined>;
  hasBlob(digest: string, signal: AbortSignal): Promise<boolean>;
  /** Undefined when it is not there. Whoever calls checks the digest. */
  findBlob(digest: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | undefined>;
  putBlob(digest: string, content: Buffer, signal: AbortSignal): Promise<void>;
  putManifest(tag: string, content: Buffer, signal: AbortSignal): Promise<void>;
}

/** Opens a repository. Each call throws what a session throws. */
export function openRegistry(address: RemoteAddress, getCredentials: GetCredentials): RegistryClient {
  const session = new RegistrySession(address, getCredentials);

  const find = (path: string, wanted: HttpAsk, signal: AbortSignal): Promise<Buffer | undefined> =>
    workAgain(async () => {
      const url = session.urlOf(path);
      const answer = await session.follow(url, wanted, signal);
      if (answer.status === 404) return undefined;
      session.expectStatus(url, answer, [200]);
      return answer.body;
    }, signal);
  const has = async (path: string, signal: AbortSignal): Promise<boolean> => {
    const wanted = {
      method: 'HEAD',
      headers: { accept: MANIFEST_TYPE },
      maxBytes: MAX_SMALL_ANSWER,
    } as const;
    return (await find(path, wanted, signal)) !== undefined;
  };
  const put = async (url: URL, type: string, body: Buffer, signal: AbortSignal): Promise<void> => {
    const wanted = {
      method: 'PUT',
      headers: { 'content-type': type },
      body,
      maxBytes: MAX_SMALL_ANSWER,
    } as const;
    session.expectStatus(url, await session.ask(url, wanted, signal), [201]);
  };
  return {
    hasManifest: (tag, signal) => has(`manifests/${tag}`, signal),
    findManifest: (tag, signal) => {
      const headers = { accept: MANIFEST_TYPE };
      return find(`manifests/${tag}`, { method: 'GET', headers, maxBytes: MAX_MANIFEST_BYTES }, signal);
    },
    hasBlob: (digest, signal) => has(`blobs/${digest}`, signal),
    findBlob: (digest, maxBytes, signal) => {
      // An error may be longer than a small blob.
      const wanted = { method: 'GET', maxBytes: Math.max(maxBytes, MAX_SMALL_ANSWER) } as const;
      return find(`blobs/${digest}`, wanted, signal);
    },
    putBlob: (digest, content, signal) =>
      workAgain(async () => {
        const begin = session.urlOf('blobs/uploads/');
        const begun = await session.ask(begin, { method: 'POST', maxBytes: MAX_SMALL_ANSWER }, signal);
        session.expectStatus(begin, begun, [202]);
        const url = new URL(begun.headers.location ?? '', begin);
        url.searchParams.set('digest', digest);
        await put(url, 'application/octet-stream', content, signal);
      }, signal),
    putManifest: (tag, content, signal) =>
      workAgain(() => put(session.urlOf(`manifests/${tag}`), MANIFEST_TYPE, content, signal), signal),
  };
}
