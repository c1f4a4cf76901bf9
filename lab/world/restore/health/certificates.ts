import type { CertificateWindow } from '../../../drivers/kubernetes/kubernetes.ts';
import { HostError } from '../../../model/errors/errors.ts';

/** A certificate that ends soon would end within a cell. */
const CERTIFICATE_MARGIN_MS = 60 * 60_000;

/** @throws HostError LAB_UNHEALTHY naming the certificates that are not valid from now on for an hour. */
export function requireValid(certificates: readonly CertificateWindow[], nowMs: number): void {
  const problems = findInvalidCertificates(certificates, nowMs);
  if (problems.length > 0) throw new HostError('LAB_UNHEALTHY', problems.join('; '));
}

/** Which certificates are not valid from now on for an hour, in words; empty when all are. Pure. */
export function findInvalidCertificates(certificates: readonly CertificateWindow[], nowMs: number): string[] {
  return certificates.flatMap(({ name, fromMs, untilMs }) => {
    if (nowMs < fromMs) return [`${name} is not valid before ${new Date(fromMs).toISOString()}`];
    if (nowMs + CERTIFICATE_MARGIN_MS > untilMs)
      return [`${name} ends at ${new Date(untilMs).toISOString()}`];
    return [];
  });
}
