import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError, UsageError } from '../../model/errors/errors.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import type { Environment } from '../../model/host/environment.ts';
import type { RunCommand } from '../../model/host/host.ts';
import { findText } from '../files/files.ts';

/** What proves to a registry who we are. */
export type Credentials =
  | { readonly user: string; readonly password: string }
  /** A token that an authority exchanges for another one. */
  | { readonly identityToken: string };

const accountSchema = z.looseObject({
  auth: z.string().optional(),
  identitytoken: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
});

/** `config.json` of Docker (https://docs.docker.com/reference/cli/docker/login/), as far as it is about credentials. */
const configSchema = z.looseObject({
  auths: z.record(z.string(), accountSchema).optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
  credsStore: z.string().optional(),
});

const helperSchema = z.looseObject({ Username: z.string(), Secret: z.string() });

/** What a credential helper says as the name of a user whose secret is a token. */
const TOKEN_USER = '<token>';

/**
 * Finds what `docker login` has kept for a registry, in the file or in the helper that it names.
 *
 * @param host with its port, where it has one.
 * @throws UsageError when the file is not what Docker writes.
 */
export async function findCredentials(
  host: string,
  env: Environment,
  run: RunCommand,
): Promise<Credentials | undefined> {
  const path = join(env.DOCKER_CONFIG ?? join(env.HOME ?? homedir(), '.docker'), 'config.json');
  const text = findText(path);
  if (text === undefined) return undefined;
  const config = configSchema.safeParse(tryParseJson(text)).data;
  if (config === undefined)
    throw new UsageError(`${path} is not a config.json of Docker`, { tryNext: `docker login ${host}` });
  const helper = config.credHelpers?.[host] ?? config.credsStore;
  const helped = helper === undefined ? undefined : await askHelper(helper, host, run);
  return helped ?? findAccount(config.auths ?? {}, host);
}

/** Older versions of Docker keep an account under a URL. */
function findAccount(
  accounts: Readonly<Record<string, z.infer<typeof accountSchema>>>,
  host: string,
): Credentials | undefined {
  const [, account] =
    Object.entries(accounts).find(([name]) => name.replace(/^https?:\/\//, '').split('/')[0] === host) ?? [];
  if (account === undefined) return undefined;
  if (account.identitytoken !== undefined && account.identitytoken !== '')
    return { identityToken: account.identitytoken };
  const decoded = Buffer.from(account.auth ?? '', 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon > 0) return { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
  const { username, password } = account;
  return username === undefined || password === undefined ? undefined : { user: username, password };
}

/** Asks `docker-credential-<name>`; it answers on standard output, and fails where it has none. */
async function askHelper(name: string, host: string, run: RunCommand): Promise<Credentials | undefined> {
  try {
    const { stdout } = await run(`docker-credential-${name}`, ['get'], { input: host });
    const answer = helperSchema.safeParse(tryParseJson(stdout)).data;
    if (answer === undefined) return undefined;
    return answer.Username === TOKEN_USER
      ? { identityToken: answer.Secret }
      : { user: answer.Username, password: answer.Secret };
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
