#!/usr/bin/env node
/** `npm run reliability`: installs what is missing, then runs bin/reliability.ts. */
import { fileURLToPath } from 'node:url';
import { ensureNodeModules } from './bootstrap.mjs';

await ensureNodeModules(fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, ''));
const { register } = await import('tsx/esm/api');
register();
await import('./reliability.ts');
