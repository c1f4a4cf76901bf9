import type { Autopsy } from '../../model/saved/autopsy.ts';
import type { AutopsyQuestion } from '../answer.ts';

/** What the page asks its worker. */
export interface WorkerQuestion {
  readonly files: readonly { readonly path: string; readonly content: Blob }[];
  readonly question: AutopsyQuestion;
  readonly options: { readonly timezone?: string; readonly year?: number };
}

/** What the worker answers: a piece of HTML, and the JSON that the command prints; or one message. */
export type WorkerAnswer =
  | { readonly html: string; readonly json: string; readonly deaths: Autopsy['deaths'] }
  | { readonly problem: string };
