import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../lab/model/host/host.ts';

/** Folder in an image with the names of the state folders that may use it in worlds: several can share a cache. */
const USERS = 'users';

/** Notes which state folder uses an image. */
export function noteImageUser(host: Pick<Host, 'stateDir'>, dir: string): void {
  const users = join(dir, USERS);
  const name = createHash('sha256').update(host.stateDir).digest('hex').slice(0, 12);
  if (existsSync(join(users, name))) return;
  mkdirSync(users, { recursive: true });
  writeFileSync(join(users, name), host.stateDir);
}

/** Lists the state folders that ever asked for an image. */
export function listImageUsers(dir: string): string[] {
  const users = join(dir, USERS);
  if (!existsSync(users)) return [];
  return readdirSync(users).map((name) => readFileSync(join(users, name), 'utf8'));
}
