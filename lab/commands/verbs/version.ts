import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { VersionResult } from '../../model/saved/answers.ts';
import type { RunVerb } from '../context/context.ts';
import { readOwnVersion } from '../context/own-version.ts';

/** `whodunit version`: prints the version of whodunit. */
export const runVersion: RunVerb = () => {
  const version = readOwnVersion();
  const result: VersionResult = { formatVersion: FORMAT_VERSION, version, node: process.versions.node };
  return Promise.resolve({ status: 'passed', json: result, text: () => version });
};
