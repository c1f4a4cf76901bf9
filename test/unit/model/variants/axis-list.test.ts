import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AXES, AXIS_DEFINITIONS, DEFAULT_VARIANT, variantSchema } from '../../../../lab/model/axes/axes.ts';
import {
  defaultVariantOf,
  deriveFactsOf,
  listComponentsOf,
  listFactNames,
  listNames,
  readValues,
  variantSchemaOf,
} from '../../../../lab/model/variants/axis-list.ts';
import { cellSchema } from '../../../../lab/model/saved/formats.ts';
import { nameVariant, readPart, writePart } from '../../../../lab/model/variants/variant-name.ts';
import { worldRecordSchema } from '../../../../lab/world/world-record.ts';
import { cni } from '../../../fixtures/made-up-axis/cni.ts';
import { configWith, PROJECT } from '../../project-files.ts';

const { matrix } = configWith();
const LIST = [...AXIS_DEFINITIONS, cni] as const;
const isKnown = (name: string, value: string): boolean =>
  name === 'cni'
    ? /^(bridge|cilium)(@\d+\.\d+\.\d+)?$/.test(value)
    : matrix.axes[name as 'os'].values.includes(value);

describe('what follows from a list of axes', () => {
  it('has one more of everything for one more axis', () => {
    expect(listNames(LIST)).toEqual([...AXES, 'cni']);
    expect(defaultVariantOf(LIST)).toEqual({ ...DEFAULT_VARIANT, cni: 'bridge' });
    expect(listFactNames(LIST)).toEqual([...listFactNames(AXIS_DEFINITIONS), 'cniVersion']);
  });

  it('reads a value, and knows what it makes true and what it needs', () => {
    const values = readValues(LIST, { ...DEFAULT_VARIANT, cni: 'cilium@1.16.0' });
    expect(values.cni).toEqual({ name: 'cilium', version: '1.16.0' });
    expect(values.nodes.workers).toBe(0);
    expect(deriveFactsOf(LIST, values, matrix)).toMatchObject({ cniVersion: '1.16.0', kernelVersion: '6.1' });
    expect(listComponentsOf(LIST, values)).toEqual({
      kubernetes: '1.34',
      containerd: 'apt',
      runc: 'apt',
      cilium: '1.16.0',
    });
    const byDefault = readValues(LIST, DEFAULT_VARIANT);
    expect(deriveFactsOf(LIST, byDefault, matrix)).not.toHaveProperty('cniVersion');
    expect(listComponentsOf(LIST, byDefault)).not.toHaveProperty('cni-plugins');
  });

  it('names a variant by it, and finds it in a name; another variant keeps its name', () => {
    expect(nameVariant(LIST, { ...DEFAULT_VARIANT, cgroup: 'v1', cni: 'cilium@1.16.0' })).toBe(
      'v1_cilium@1.16.0',
    );
    expect(nameVariant(LIST, { ...DEFAULT_VARIANT, containerd: '1.7.27' })).toBe('containerd-1.7.27');
    expect(readPart(LIST, 'cilium@1.16.0', isKnown)).toEqual({ axis: 'cni', value: 'cilium@1.16.0' });
    expect(readPart(LIST, 'calico', isKnown)).toBeUndefined();
  });

  it('writes a prefix before the values of an axis that has one, and finds no value without it', () => {
    const prefixed = { ...cni, namePrefix: 'cni-' };
    const list = [...AXIS_DEFINITIONS, prefixed];
    expect(nameVariant(list, { cni: 'cilium' })).toBe('cni-cilium');
    expect(writePart(prefixed, 'a/b')).toBe('cni-a/b');
    expect(readPart(list, 'cni-cilium', isKnown)).toEqual({ axis: 'cni', value: 'cilium' });
    expect(readPart(list, 'cilium', isKnown)).toBeUndefined();
  });

  it('takes the default for an axis that a saved variant lacks, and refuses a value that it cannot read', () => {
    const schema = variantSchemaOf(LIST);
    expect(schema.parse(DEFAULT_VARIANT)).toEqual({ ...DEFAULT_VARIANT, cni: 'bridge' });
    expect(schema.safeParse({ cni: 'calico' }).error?.issues[0]?.path).toEqual(['cni']);
  });
});

describe('the schema of a saved variant', () => {
  it('is the same in every file', () => {
    expect(cellSchema.shape.variant).toBe(variantSchema);
    expect(worldRecordSchema.shape.variant).toBe(variantSchema);
  });
});

describe('docs/adding-an-axis.md', () => {
  it('shows the axis that is added here', () => {
    const shown = readFileSync(join(PROJECT, 'docs/adding-an-axis.md'), 'utf8');
    const file = readFileSync(join(PROJECT, 'test/fixtures/made-up-axis/cni.ts'), 'utf8');
    expect(shown).toContain(file.replaceAll('../../../lab/model/', '../'));
  });
});
