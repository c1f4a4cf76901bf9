import type { AxisDefinition } from '../variants/axis.ts';
import { UsageError } from '../errors/errors.ts';
import { parseLocalBuild } from '../components/local-build.ts';
import { os } from './os.ts';

/** The kernel that a node boots. */
export type Kernel =
  /** That of the node's own suite. */
  | { readonly from: 'own' }
  /** That of another suite, or of backports; `version` is its major and minor release. */
  | { readonly from: 'suite'; readonly suite: string; readonly version: string }
  /** A file of the host. */
  | { readonly from: 'file'; readonly path: string };

export const kernel: AxisDefinition<'kernel', Kernel, 'kernelVersion' | 'kernelSuite'> = {
  name: 'kernel',
  defaultValue: 'os',
  parse: parseKernel,
  facts: {
    /** Version of the booted kernel, `6.1`. */
    kernelVersion: (read, { suites }) => {
      const value = read(kernel);
      if (value.from === 'own') return suites[read(os)]?.kernel;
      return value.from === 'suite' ? value.version : undefined;
    },
    /** Debian suite that the kernel comes from. */
    kernelSuite: (read) => {
      const value = read(kernel);
      if (value.from === 'own') return read(os);
      return value.from === 'suite' ? value.suite : undefined;
    },
  },
};

/** Reads `os`, `<version>@<suite>` and `file:<path>`. */
function parseKernel(written: string): Kernel {
  if (written === 'os') return { from: 'own' };
  const local = parseLocalBuild(written);
  if (local?.kind === 'file' && local.release === undefined) return { from: 'file', path: local.path };
  const [, version, suite] = /^(\d+\.\d+)@([a-z]+(?:-backports)?)$/.exec(written) ?? [];
  if (version !== undefined && suite !== undefined) return { from: 'suite', suite, version };
  throw new UsageError(`"${written}" is not a kernel`, {
    tryNext: 'os, <version>@<suite>, <version>@<suite>-backports or file:<path>',
  });
}
