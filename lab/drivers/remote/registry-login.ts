import { z } from 'zod';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { maySendCredentials } from './address.ts';
import type { Credentials } from './docker-credentials.ts';
import { askHttp, showUrl } from './http-ask.ts';

/** Tokens are short. */
const MAX_TOKEN_ANSWER = 1024 * 1024;

/** A registry, or the authority that it names, does not let us in. Its message names no secret. */
export class RefusedLogin extends Error {}

/** What a registry asks for (RFC 9110, WWW-Authenticate). */
interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const tokenSchema = z.looseObject({ token: z.string().optional(), access_token: z.string().optional() });

/**
 * Answers the challenge of a registry with what an Authorization header has to say: a token of the authority that the
 * registry names (https://distribution.github.io/distribution/spec/auth/token/), or name and password.
 *
 * @param registry the URL that was refused.
 * @throws RefusedLogin; Error when the authority does not answer.
 */
export async function answerChallenge(
  header: string,
  registry: URL,
  credentials: Credentials | undefined,
  signal: AbortSignal,
): Promise<string> {
  const { scheme, parameters } = parseChallenge(header);
  if (scheme === 'basic') {
    if (!maySendCredentials(registry))
      throw new RefusedLogin(`${registry.host} asks for a password without HTTPS; it was not sent`);
    const basic = credentials === undefined ? undefined : basicOf(credentials);
    if (basic === undefined) throw new RefusedLogin(`${registry.host} asks for a password`);
    return basic;
  }
  const realm = parameters.get('realm') ?? '';
  if (scheme !== 'bearer' || !URL.canParse(realm))
    throw new RefusedLogin(`${registry.host} asks for a login by ${scheme === '' ? 'nothing known' : scheme}`);
  return `Bearer ${await fetchToken(new URL(realm), parameters, credentials, signal)}`;
}

async function fetchToken(
  realm: URL,
  parameters: Challenge['parameters'],
  credentials: Credentials | undefined,
  signal: AbortSignal,
): Promise<string> {
  const known = ['service', 'scope'].flatMap((name): [string, string][] => {
    const value = parameters.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  if (credentials !== undefined && !maySendCredentials(realm))
    throw new RefusedLogin(`${showUrl(realm)} gives tokens without HTTPS; no credentials were sent`);
  const answer =
    credentials !== undefined && 'identityToken' in credentials
      ? await askHttp(realm, exchange(known, credentials.identityToken), signal)
      : await askHttp(withQuery(realm, known), byPassword(credentials), signal);
  if (answer.status !== 200)
    throw new RefusedLogin(`${showUrl(realm)} gives no token (HTTP ${answer.status})`);
  const { token, access_token } = tokenSchema.safeParse(tryParseJson(answer.body.toString())).data ?? {};
  const given = token ?? access_token;
  if (given === undefined) throw new RefusedLogin(`${showUrl(realm)} gives no token`);
  return given;
}

/** The exchange of a refresh token (https://distribution.github.io/distribution/spec/auth/oauth/). */
function exchange(known: [string, string][], identityToken: string) {
  const form = new URLSearchParams([
    ['grant_type', 'refresh_token'],
    ['client_id', 'whodunit'],
    ['refresh_token', identityToken],
    ...known,
  ]);
  return {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(form.toString()),
    maxBytes: MAX_TOKEN_ANSWER,
  } as const;
}

function byPassword(credentials: Credentials | undefined) {
  const authorization = credentials === undefined ? undefined : basicOf(credentials);
  return {
    method: 'GET',
    headers: authorization === undefined ? {} : { authorization },
    maxBytes: MAX_TOKEN_ANSWER,
  } as const;
}

function basicOf(credentials: Credentials): string | undefined {
  if ('identityToken' in credentials) return undefined;
  const { user, password } = credentials;
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function withQuery(url: URL, pairs: [string, string][]): URL {
  const asked = new URL(url);
  for (const [name, value] of pairs) asked.searchParams.set(name, value);
  return asked;
}

/** `Bearer realm="https://…",service="…",scope="repository:name:pull,push"`; names are not case-sensitive. */
function parseChallenge(header: string): Challenge {
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s*(.*)$/.exec(header) ?? [];
  const parameters = [...rest.matchAll(/([A-Za-z_]+)=(?:"([^"]*)"|([^\s,"]+))/g)].map(
    ([, name = '', quoted, plain]): [string, string] => [name.toLowerCase(), quoted ?? plain ?? ''],
  );
  return { scheme: scheme.toLowerCase(), parameters: new Map(parameters) };
}
