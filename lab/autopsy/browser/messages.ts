import type { Autopsy } from '../../model/saved/autopsy.ts';
import type { Question } from '../answer.ts';

/** What the page asks its worker. */
export interface Asked {
  readonly files: readonly { readonly path: string; readonly content: Blob }[];
  readonly question: Question;
  readonly options: { readonly timezone?: string; readonly year?: number };
}

/** What the worker answers: a piece of HTML, and the JSON that the command prints; or one message. */
export type Answered =
  | { readonly html: string; readonly json: string; readonly deaths: Autopsy['deaths'] }
  | { readonly problem: string };
