import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { Rejudged } from '../../model/saved/formats.ts';
import { renderAskedDeath, renderListedDeaths } from '../../report/terminal/render-autopsy.ts';
import { row, shortenPaths } from '../../report/text/page-rows.ts';
import { joinLines } from '../../report/text/text-table.ts';
import { nameDeath } from '../../report/words/name-death.ts';
import type { VerbAnswer } from '../context/answer.ts';
import { spellPath } from '../context/spell-path.ts';
import { compareAutopsies } from './compare-autopsies.ts';
import { answerSaved, readSavedAutopsy } from './read-saved-autopsy.ts';

/** Judges folders that `autopsy --save` wrote again, and says what has changed. */
export async function judgeAutopsies(folders: readonly string[]): Promise<VerbAnswer> {
  const judged: { readonly page: string; readonly autopsy: NonNullable<Rejudged['autopsies']>[number] }[] =
    [];
  for (const folder of folders) {
    const saved = readSavedAutopsy(folder);
    const now = await answerSaved(folder, saved);
    const changed = compareAutopsies(saved.answer, now);
    const [first = 'as it was judged before', ...more] = changed.map(
      ({ field, before, now: after }) => `${field}: ${shortenPaths(before)} -> ${shortenPaths(after)}`,
    );
    const lines = [row('changed', first), ...more.map((line) => row('', line))];
    const shown = saved.question.isList ? renderListedDeaths(now) : renderAskedDeath(now);
    const page = `${shown.trimEnd()}\n\n${joinLines(lines)}`;
    const deaths = now.deaths.map((death) => ({ name: nameDeath(death), attribution: death.attribution }));
    judged.push({ page, autopsy: { folder: spellPath(folder), deaths, changed } });
  }
  const hasChanged = judged.some(({ autopsy }) => autopsy.changed.length > 0);
  return {
    status: hasChanged ? 'failed' : 'passed',
    json: { formatVersion: FORMAT_VERSION, cells: [], autopsies: judged.map(({ autopsy }) => autopsy) },
    page: () => judged.map(({ page }) => page).join('\n\n'),
  };
}
