import { randomBytes } from 'node:crypto';

/** Randomness of the host for a guest, base64. */
export function randomSeed(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

/** A name that nothing else has: twelve hexadecimal digits. */
export function randomName(): string {
  return randomBytes(6).toString('hex');
}
