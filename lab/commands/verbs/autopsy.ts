import { Readable } from 'node:stream';
import { answer } from '../../autopsy/answer.ts';
import { collectLive } from '../../autopsy/live/collect-live.ts';
import { NODE_ACCESSES, type LiveFiles, type NodeAccess } from '../../autopsy/live/live-files.ts';
import { listNodeCommands, listNodeQuestions } from '../../autopsy/live/node-questions.ts';
import { BUNDLE_LIMITS, type BundleFile } from '../../drivers/bundles/bundle-file.ts';
import { openBundle } from '../../drivers/bundles/open-bundle.ts';
import { Reading } from '../../drivers/bundles/reading.ts';
import { readBundle } from '../../evidence/bundle/read-bundle.ts';
import { splitLines } from '../../evidence/bundle/split-lines.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { shellWord } from '../../model/text/shell.ts';
import { renderDeath, renderDeaths } from '../../report/terminal/render-autopsy.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';

/** `whodunit autopsy`: who killed a pod that the lab did not stage, by files that anybody has, or a cluster that is up. */
export const runAutopsy: RunVerb = async (context, words, flags) => {
  if (flags.printCommands === true) return { status: 'passed', text: () => printCommands(words, flags) };
  if (flags.kubeconfig === undefined) return judgeFiles(context, words, flags);
  return judgeLive(context, words, { ...flags, kubeconfig: flags.kubeconfig });
};
