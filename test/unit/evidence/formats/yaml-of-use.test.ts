import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isSaid, readTexts } from '../bundle/read-texts.ts';

/** What is left out of YAML before it is read must change nothing of what is said: JSON of the same object is read whole. */

const STATUS = `status:
  phase: Failed
  reason: Evicted
  message: 'The node was low on resource: memory. '
`;
const pod = (container: string, status = STATUS): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\n  namespace: default\n  uid: 11fb4b18-3dc9-4db2-a842-e464f797527a\nspec:\n  containers:\n${container}  nodeName: node-1\n${status}`;
const IN_SCALAR = `status:
  phase: Failed
  reason: Evicted
  message: |-
    What I had in
    env:
      The node was low on resource: memory.
    - and more
`;

async function saidBy(text: string): Promise<unknown> {
  const { observations } = await readTexts({ 'a.txt': text });
  return observations.filter(isSaid).map(({ ref, ...said }) => ({ ...said, text: ref.text }));
}

describe('YAML without what tells nothing', () => {
  it.each([
    [
      'a value of env that has an empty line',
      pod(
        '  - name: "web"\n    env:\n    - name: A\n      value: |\n        one:\n\n        "two\n    - name: B\n    image: x\n',
      ),
    ],
    [
      'a comment in env',
      pod('  - name: web\n    env:\n# of the team\n    - name: A\n      value: b\n    image: x\n'),
    ],
    ['a message that has the word env', pod('  - name: web\n', IN_SCALAR)],
    [
      'a text in quotes that has the word env',
      pod('  - name: web\n    args:\n    - "run\n      env:\n        all"\n    image: x\n'),
    ],
    [
      'an anchor in env that is meant later',
      pod('  - name: side\n    env:\n    - &a\n      name: A\n  - name: web\n    other: [*a]\n'),
    ],
  ])('says the same: %s', async (_what, text) => {
    const whole = await saidBy(JSON.stringify(parse(text)));
    expect(whole).toMatchObject([{ name: 'web-0', reason: 'Evicted', node: 'node-1' }]);
    expect(await saidBy(text)).toEqual(whole);
  });

  const owned = pod('  - name: web\n').replace(
    'metadata:\n',
    'metadata:\n  ownerReferences:\n  - apiVersion: apps/v1\n    kind: ReplicaSet\n    name: web\n',
  );
  it.each([
    ['without its kind', owned.replace('kind: Pod\n', '')],
    ['with a comment behind its kind', owned.replace('kind: Pod\n', 'kind: Pod # ours\n')],
    ['with its kind in single quotes', owned.replace('kind: Pod\n', "kind: 'Pod'\n")],
    ['with its kind in double quotes', owned.replace('kind: Pod\n', 'kind: "Pod"\n')],
    [
      'behind a Secret, both items of no list',
      ['apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n', owned]
        .map((text) => `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`)
        .join(''),
    ],
    ['behind a Secret', `apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n---\n${owned}`],
  ])('has a pod %s', async (_what, text) => {
    expect(await saidBy(text)).toMatchObject([{ name: 'web-0', reason: 'Evicted' }]);
  });

  it('reads no object of a kind that tells nothing, nor what it quotes', async () => {
    const quoted = pod('  - name: web\n').replaceAll(/^/gm, '    ');
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  pod.yaml: |\n${quoted}\n`;
    expect(await saidBy(text)).toEqual([]);
  });
});
