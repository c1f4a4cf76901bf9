import { describe, expect, it } from 'vitest';
import { findInvalidCertificates } from '../../../../../lab/world/restore/health/certificates.ts';

const HOUR = 3_600_000;
const window = { name: 'the client certificate', fromMs: 10 * HOUR, untilMs: 20 * HOUR };

describe('the window of a certificate', () => {
  it('must have begun', () => {
    expect(findInvalidCertificates([window], 10 * HOUR - 1)).toEqual([
      'the client certificate is not valid before 1970-01-01T10:00:00.000Z',
    ]);
    expect(findInvalidCertificates([window], 10 * HOUR)).toEqual([]);
  });

  it('must last for an hour more, so that it does not end within a cell', () => {
    expect(findInvalidCertificates([window], 19 * HOUR)).toEqual([]);
    expect(findInvalidCertificates([window], 19 * HOUR + 1)).toEqual([
      'the client certificate ends at 1970-01-01T20:00:00.000Z',
    ]);
  });

  it('is told for each certificate', () => {
    expect(findInvalidCertificates([window, { ...window, name: "the API's" }], 0)).toHaveLength(2);
  });
});
