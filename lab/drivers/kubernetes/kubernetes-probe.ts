import { LabError } from '../../model/errors/errors.ts';
import type { Look, Probe } from '../../model/host/host.ts';
import { apiErrorText } from './kubernetes-errors.ts';

/**
 * A probe that asks the API. It asks again when the API refuses or does not answer, as an API does while its cluster
 * starts, is restored or is busy. The error of the API is what was seen.
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
