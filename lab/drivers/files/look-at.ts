import { lstatSync, statSync, type StatSyncFn } from 'node:fs';

/**
 * Looks at what a path leads to; at the link itself where links lead in a circle.
 *
 * @param look asks with the function that it is given.
 */
export function lookAt<Found>(look: (stat: StatSyncFn) => Found): Found {
  try {
    return look(statSync);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    return look(lstatSync);
  }
}
