#!/usr/bin/env node
/** `npm run bench`: installs what is missing, then runs bin/bench.ts. */
import { fileURLToPath } from 'node:url';
import { ensureNodeModules } from './bootstrap.mjs';

await ensureNodeModules(fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, ''));
const { register } = await import('tsx/esm/api');
register();
await import('./bench.ts');
