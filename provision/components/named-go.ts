import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '../../lab/model/components/components.ts';

/** The lines of a go.mod that name a Go, as `go mod edit -json` prints them. */
export interface GoLines {
  /** `go` line: the oldest Go that may build the module, such as 1.24.0, or a language version such as 1.17. */
  readonly Go?: string | undefined;
  /** `toolchain` line: the Go that its makers use, such as go1.24.7. */
  readonly Toolchain?: string | undefined;
}

const EXACT_GO = /^(?:go)?(1\.\d+(?:\.\d+)?)$/;

/**
 * Names the Go release that builds a module. Its makers say it in `.go-version` (Kubernetes since 1.24, CoreDNS,
 * OpenTofu), or in the `toolchain` line of its go.mod. Its `go` line is only a lower bound: of that and the release
 * of the catalogue, the newer one is taken.
 *
 * A newer Go than that of the makers is another program: Kubernetes 1.33.4 (Go 1.24.5), built with Go 1.24.11, fails
 * in `kubeadm init`, because `net/url` of that release refuses an address that kubeadm parses.
 *
 * @param folder the module, unpacked
 * @param table the release that the catalogue names for this version
 */
export function nameGo(folder: string, lines: GoLines, table: string): string {
  const file = join(folder, '.go-version');
  const named =
    readExact(existsSync(file) ? readFileSync(file, 'utf8') : undefined) ?? readExact(lines.Toolchain);
  if (named !== undefined) return named;
  const oldest = readExact(lines.Go);
  return oldest !== undefined && compareVersions(oldest, table) > 0 ? oldest : table;
}

function readExact(text: string | undefined): string | undefined {
  return EXACT_GO.exec(text?.trim() ?? '')?.[1];
}
