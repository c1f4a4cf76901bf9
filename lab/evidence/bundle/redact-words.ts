import { redactText } from '../redact.ts';
import { REDACTED, type OnRedacted } from '../secret-patterns.ts';

/** What the kubelet itself says of a probe that failed. Anything else is what the container printed. */
const OF_KUBELET =
  /^(?:HTTP probe failed with statuscode: \d+|Get \\*"|dial |read |EOF|command (?:\\*")?\S|OCI runtime|rpc error|context deadline|service unhealthy|timeout|error: )/;

const RULES: readonly (readonly [rule: string, pattern: RegExp])[] = [
  // The kubelet prints a container whole when it cannot start one.
  ['container-of-a-log', /(&Container\{Name:[^,]*,(?:Image:[^,]*,)?)(?!\[redacted\]).*(?=\})/g],
  // Records of audit: linux/audit.h, PROCTITLE in hexadecimal, EXECVE, USER_CMD.
  ['command-of-audit', /(\b(?:proctitle|cmd)=)(?!\[redacted\])\S+/g],
  ['command-of-audit', /(\b(?:type=1309|EXECVE)\b.*?\bargc=\d+ )(?!\[redacted\]).*/g],
  ['query-of-address', /(https?:\/\/[^\s"'\\?]{1,2048}\?)(?!\[redacted\])[^\s"'\\]{1,8192}/g],
];
const PROBE = /(\bprobe (?:failed|errored|warning): |\bprobeResult=\S+ output=\\*")([^"]*)/g;

/** A text of a program or of the API: no secret that its shape shows, no command line, nothing that a container printed. */
export function redactWords(text: string, onRedacted: OnRedacted): string {
  let redacted = redactText(text, '', onRedacted);
  for (const [rule, pattern] of RULES)
    redacted = redacted.replace(pattern, (_, kept: string) => {
      onRedacted(rule);
      return kept + REDACTED;
    });
  return redacted.replace(PROBE, (found, kept: string, said: string) => {
    if (said === '' || said === REDACTED || OF_KUBELET.test(said)) return found;
    onRedacted('container-output');
    return kept + REDACTED;
  });
}
