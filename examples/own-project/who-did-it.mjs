// Judges a folder of saved evidence again: `node who-did-it.mjs .lab/runs/<id>/cells/default/first-death`. Needs no machine.
import { check, judge, readEvidence } from 'whodunit';

const [folder = '.'] = process.argv.slice(2);
const verdict = judge(readEvidence(folder));
const { ok } = check(folder, verdict);
console.log(`${verdict.verdict}: ${verdict.attribution.killer}, proof ${ok ? 'holds' : 'rejected'}`);
