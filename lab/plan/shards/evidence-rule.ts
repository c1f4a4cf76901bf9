import type { Verdict } from '../../model/killers/killers.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { drawLot } from '../cells/draw-lot.ts';

/** Of which cells the evidence is kept. */
export interface EvidenceRule {
  /** Of every cell that passed, this share, from 0 to 1. What did not pass is always kept. */
  readonly passedShare: number;
}

/**
 * Reads `--keep-evidence`: `failed` keeps that of every cell that did not pass, a percentage also that of a sample of those that
 * did: `failed,1%`.
 *
 * @throws UsageError
 */
export function parseEvidenceRule(text: string): EvidenceRule {
  if (text === 'all') return { passedShare: 1 };
  const found = /^failed(?:,(\d{1,2}(?:\.\d{1,3})?|100)%)?$/.exec(text);
  if (found !== null) return { passedShare: Number(found[1] ?? '0') / 100 };
  throw new UsageError(
    `--keep-evidence takes all, failed, or failed and a share such as failed,1%; not "${text}"`,
    {
      tryNext: '--keep-evidence failed,1%',
    },
  );
}

/** Bytes of a digest that are read as a number. */
const DIGITS = 12;

/**
 * Whether the evidence of a cell is kept. The sample depends on the seed and the address only, so that every host and every
 * merge chooses the same cells.
 */
export function keepsEvidence(
  { passedShare }: EvidenceRule,
  { address, verdict }: { readonly address: string; readonly verdict: Verdict },
  seed: string,
): boolean {
  if (verdict !== 'passed' || passedShare >= 1) return true;
  return Number.parseInt(drawLot(seed, address).slice(0, DIGITS), 16) / 16 ** DIGITS < passedShare;
}
