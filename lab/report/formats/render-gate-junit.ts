import { create } from 'xmlbuilder2';
import { scenarioPart } from '../../model/host/cell-address.ts';
import type { GateResult } from '../../model/saved/gate.ts';
import { disarmMarkup } from '../../model/text/log-commands.ts';
import { plainText } from '../../model/text/plain-text.ts';

/** Renders a gate as JUnit XML: changed deaths are failures, cells that are not decided are errors. */
export function renderGateJunit({ changed, flaky, notDecided, same, head }: GateResult): string {
  const tests = [
    ...changed.map(({ address, says }) => ({ address, says, as: 'failure' })),
    ...notDecided.map(({ address, why }) => ({ address, says: why, as: 'error' })),
    ...[...flaky, ...same].map(({ address, says }) => ({ address, says, as: 'system-out' })),
  ];
  const counts = { tests: tests.length, failures: changed.length, errors: notDecided.length };
  const root = create({ version: '1.0', encoding: 'UTF-8' }).ele('testsuites', {
    name: 'whodunit gate',
    ...counts,
  });
  const suite = root.ele('testsuite', { name: plainText(head.join(' ') || 'gate'), ...counts });
  for (const { address, says, as } of tests) {
    const test = suite.ele('testcase', {
      name: plainText(scenarioPart(address)),
      classname: plainText(address.slice(0, address.lastIndexOf('/'))),
    });
    const text = plainText(says);
    if (as === 'system-out') test.ele(as).txt(text);
    else test.ele(as, { message: text, type: as === 'failure' ? 'changed-death' : 'not-decided' }).txt(text);
  }
  return disarmMarkup(root.end({ prettyPrint: true })) + '\n';
}
