import { LabError } from '../model/errors.ts';
import type { Look, Probe } from '../model/host.ts';
import { apiErrorText } from './kubernetes-errors.ts';

/**
 * A probe that asks the API. An API that refuses, or does not answer, is looked at again: it does so while its cluster
 * starts, is restored or is busy. What it said is what was seen.
 */
export function apiProbe<T = true>(title: string, look: Probe<T>['look'], tryNext?: string): Probe<T> {
  const tolerant = async (): Promise<Look<T>> => {
    try {
      return await look();
    } catch (error) {
      if (error instanceof LabError) throw error;
      return { done: false, seen: apiErrorText(error) };
    }
  };
  return { title, look: tolerant, ...(tryNext === undefined ? {} : { tryNext }) };
}
