import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { matrixSchema } from '../../../../lab/model/declared/matrix.ts';
import { DeclaredStartFailure, HostError } from '../../../../lab/model/errors/errors.ts';
import type { Guest, Host, WaitFor } from '../../../../lab/model/host/host.ts';
import { proveStartFailure, type DeclaredNode } from '../../../../lab/world/settle/start-failure.ts';

const matrix = matrixSchema.parse(parse(readFileSync('matrix.yaml', 'utf8')));
const declared = matrix.startFailures[0]!;
const LINE = 'level=error msg="expected cgroupsPath to be of format \\"slice:prefix:name\\""';

/** A guest whose journal says these texts, one look after the other. */
function guestSaying(...texts: string[]): Guest {
  const script = async () => ({ status: 0, stdout: texts.shift() ?? '', stderr: '' });
  return { name: 'node-1', script: () => script() } as unknown as Guest;
}
const waitFor: WaitFor = async ({ look }) => {
  for (;;) {
    const seen = await look();
    if (seen.done) return seen.value;
  }
};
const host = { waitFor } as unknown as Host;

/** Asks a node of the first declaration, on which nothing starts; fields can be replaced. */
function prove(node: Pick<DeclaredNode, 'guest'> & Partial<DeclaredNode>): Promise<never> {
  return proveStartFailure(host, {
    world: 'w',
    failure: declared,
    lookForStart: async () => undefined,
    ...node,
  });
}

it('is proven by the declared line', async () => {
  const proof = prove({ guest: guestSaying('', LINE) });
  const error = await proof.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(DeclaredStartFailure);
  expect(error).toMatchObject({ rule: declared.id, seen: LINE, code: 'LAB_START_FAILURE' });
});

it('is an error of the lab when pods start', async () => {
  const proof = prove({ guest: guestSaying(''), lookForStart: async () => 'a pod runs' });
  const error = await proof.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(HostError);
  expect(error).toMatchObject({ code: 'LAB_STARTED_ANYWAY' });
});

it('is looked for in the declared journal, among what was said since its pod was made', async () => {
  const asked: string[] = [];
  const script = async (text: string) => {
    asked.push(text);
    return { status: 0, stdout: LINE, stderr: '' };
  };
  const guest = { name: 'node-1', script } as unknown as Guest;
  for (const failure of matrix.startFailures) {
    const since = failure.pods === 'all' ? undefined : new Date('2026-12-01T00:03:52.900Z');
    await prove({ guest, failure, since }).catch(() => undefined);
  }
  expect(asked[0]).toMatch(/^journalctl -b -u containerd --no-pager /);
  expect(asked.at(-1)).toMatch(/^journalctl -b -u kubelet --since=@1796083432 --no-pager /);
});
