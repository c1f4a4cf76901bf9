import { describe, expect, it } from 'vitest';
import { errorText, HostError } from '../../../../lab/model/errors/errors.ts';

describe('the text of an error in a sentence', () => {
  it('has what was seen last, once', () => {
    const why = { lastSeen: 'gomod: 404 Not Found' };
    expect(errorText(new HostError('LAB_COMPONENT_UNAVAILABLE', 'no source has runc 9', why))).toBe(
      'no source has runc 9 (gomod: 404 Not Found)',
    );
    expect(errorText(new HostError('LAB_HOST', 'virsh said gomod: 404 Not Found', why))).toBe(
      'virsh said gomod: 404 Not Found',
    );
  });

  it('is the message of others, and the text of what is no error', () => {
    expect(errorText(new Error('boom'))).toBe('boom');
    expect(errorText('boom')).toBe('boom');
  });
});
