import {
  FAMILIES,
  howsOf,
  KILLERS,
  rowOf,
  type HowRow,
  type Killer,
} from '../../lab/model/killers/killers.ts';
import { markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';

/** Renders the table of killers for docs/verdicts.md, in the order of the table in the code. Its texts are Markdown. */
export function renderKillers(): string {
  return [
    ...markdownHead(['killer', 'who acts', 'proof']),
    ...KILLERS.map((killer) => {
      const { family, proof } = rowOf(killer);
      return markdownRow([`\`${killer}\``, FAMILIES[family], proof]);
    }),
  ].join('\n');
}

/** Renders the ways of every killer that has any. */
export function renderHows(): string {
  return [
    ...markdownHead(['killer', 'how']),
    ...KILLERS.filter((killer) => howsOf(killer).length > 0).map((killer) =>
      markdownRow([`\`${killer}\``, describeHows(killer)]),
    ),
  ].join('\n');
}

/** Ways with the same explanation are listed together: `inodes`, `pids` (the node ran out of it). */
function describeHows(killer: Killer): string {
  const groups: { readonly names: string[]; readonly says: string | undefined }[] = [];
  for (const [name, { says }] of Object.entries<HowRow>(rowOf(killer).hows)) {
    const last = groups.at(-1);
    if (last !== undefined && last.says === says) last.names.push(`\`${name}\``);
    else groups.push({ names: [`\`${name}\``], says });
  }
  return groups
    .map(({ names, says }) => `${names.join(', ')}${says === undefined ? '' : ` (${says})`}`)
    .join(', ');
}
