import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { cellRecordSchema } from '../../../../lab/model/evidence/cell-record.ts';
import { captureNames, loadCapture } from '../../../fixtures/evidence/load-capture.ts';

const saved = JSON.parse(loadCapture('oom-single-container').files.get('cell.json') ?? '') as Record<
  string,
  unknown
>;

describe('the schema of cell.json', () => {
  it.each(captureNames())('accepts that of %s, and reads it as it is', (name) => {
    const json: unknown = JSON.parse(loadCapture(name).files.get('cell.json') ?? '');
    expect(cellRecordSchema.parse(json)).toEqual(json);
  });

  it('takes an axis that was not saved for its default', () => {
    const { variant } = cellRecordSchema.parse({ ...saved, variant: { cgroup: 'v1' } });
    expect(variant).toEqual({ ...DEFAULT_VARIANT, cgroup: 'v1' });
  });

  it('lets fields of a later lab through, but no expectation that it cannot compare', () => {
    const later = { ...saved, collectedAt: 'later', victim: { ...(saved.victim as object), uid: 'x' } };
    expect(cellRecordSchema.safeParse(later).success).toBe(true);
    const stranger = cellRecordSchema.safeParse({ ...saved, expected: { killer: 'none', mood: 'good' } });
    expect(stranger.error?.issues[0]?.code).toBe('unrecognized_keys');
  });

  it.each(['address', 'expected', 'victim', 'nodes', 'startedAt', 'stimuli', 'lost'])('wants %s', (name) => {
    expect(cellRecordSchema.safeParse({ ...saved, [name]: undefined }).error?.issues[0]?.path).toEqual([
      name,
    ]);
  });

  it('says of every field what it is', () => {
    const bare: string[] = [];
    const look = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: unknown };
      for (const [name, field] of Object.entries(properties)) {
        if (!('description' in field)) bare.push(`${path}.${name}`);
        look(field, `${path}.${name}`);
      }
      look(items, `${path}[]`);
    };
    look(z.toJSONSchema(cellRecordSchema, { io: 'input' }), 'cell');
    expect(bare).toEqual([]);
  });
});
