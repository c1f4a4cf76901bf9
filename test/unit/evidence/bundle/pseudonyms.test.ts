import { describe, expect, it } from 'vitest';
import { addNamesIn, createPseudonyms, namesInRecords } from '../../../../lab/evidence/bundle/pseudonyms.ts';

const TABLES = `NAMESPACE   NAME       READY   STATUS    RESTARTS     AGE
payments    ledger-0   1/1     Running   1 (2m ago)   3h
payments    ledger-2   0/2     Init:0/1  0            3h
invoices    ledger-3   0/1     Evict
LAST SEEN   TYPE     REASON    OBJECT         MESSAGE
2m          Normal   Killing   pod/ledger-1   Container api failed liveness probe, will be restarted
`;

describe('pseudonyms', () => {
  it('are in the place of names that only tables of kubectl have, the same ones everywhere', () => {
    const names = namesInRecords([], []);
    addNamesIn(TABLES, names);
    const rename = createPseudonyms(names);
    const renamed = rename(TABLES);
    expect(renamed).not.toMatch(/payments|invoices|ledger/);
    expect(renamed).toContain('Container api failed liveness probe');
    expect(rename('ledger-1')).toBe(/pod\/(\S+)/.exec(renamed)?.[1]);
  });
});
