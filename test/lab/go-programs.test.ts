import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureGo, goEnvironment } from '../../provision/components/go.ts';
import { createTestHost } from './stack-host.ts';

describe('our own Go programs', () => {
  const home = mkdtempSync(join(tmpdir(), 'whodunit-go-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it.each(['provision/workloads', 'provision/scenario-programs', 'provision/guest/witness'])(
    'pass vet and their own tests: %s',
    async (folder) => {
      const host = createTestHost(home);
      const go = await ensureGo(host);
      const options = { cwd: join(host.projectDir, folder), env: goEnvironment('local') };
      await host.run(go.program, ['vet', './...'], options);
      const tests = await host.run(go.program, ['test', './...'], options);
      expect(tests.stdout).toMatch(/^ok\s/m);
      expect(tests.stdout).not.toMatch(/^FAIL/m);
    },
  );
});
