import { RUNTIME_WORDS } from './roles.ts';

/**
 * What a line of a journal must hold to say anything that the judge knows, as the bytes are: lines of the kernel, words of the
 * kubelet, of runtimes and of systemd, the beginning of another format; a message in bytes, and times of two clocks. A test holds
 * it against every line that is kept of every capture.
 */
export const OF_USE = new RegExp(
  [
    'kernel(?::|\\[|\\")',
    'oom',
    'OOM',
    '[Kk]ill',
    'sending SIG',
    'SyncLoop',
    'PLEG',
    '[Ee]vict',
    'Probe failed',
    '(?:liveness|startup) probe',
    '[Ss]andbox for pod',
    'Observed pod',
    'Preempting pod',
    'RemoveContainer',
    '(?:write|construct|rejected) event',
    'Message for Container',
    'Reached target',
    'The system will',
    'System is ',
    '"MESSAGE" ?: ?\\[',
    'apiVersion',
    RUNTIME_WORDS.source,
  ].join('|'),
  'g',
);
