import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redactFile } from '../../../lab/commands/saved/redact-file.ts';
import {
  CAPTURES_FOLDER,
  judgeCapture,
  loadCapture,
  sampledCaptureNames,
} from '../../fixtures/evidence/load-capture.ts';

/** What containers were started with is replaced wherever it is. */
const BY_PLACE = ['container-env', 'container-args'];

describe('a capture without its secrets', () => {
  it.each(sampledCaptureNames())('%s is judged the same, and loses nothing but arguments', (name) => {
    const folder = join(CAPTURES_FOLDER, name);
    const capture = loadCapture(name);
    const replaced: string[] = [];
    const files = new Map(capture.files);
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!statSync(join(folder, path)).isFile()) continue;
      const bytes = readFileSync(join(folder, path));
      const redacted = redactFile(path, bytes, (rule) => replaced.push(rule)).toString();
      expect(redacted.split('\n')).toHaveLength(bytes.toString().split('\n').length);
      files.set(path, redacted);
    }
    expect(replaced.filter((rule) => !BY_PLACE.includes(rule))).toEqual([]);
    const { verdict, attribution, claims } = judgeCapture(capture);
    expect(judgeCapture({ ...capture, files })).toMatchObject({ verdict, attribution, claims });
  });
});
