import type { CommandOptions, Host, RunCommand } from '../../model/host/host.ts';
import { TERRAFORM_MARK, terraformEnvironment } from '../../model/host/terraform-environment.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { awaitWorkIn } from '../processes/processes.ts';

/** What the Terraform driver needs. */
export interface TerraformOptions {
  readonly run: RunCommand;
  /** `terraform` or `tofu`: path or name. */
  readonly program: string;
  /** CLI configuration file that says where the provider comes from. */
  readonly cliConfig: string;
  /** Folder with `cdk.tf.json`, as `synthWorld` returned it. */
  readonly dir: string;
  /** Everything that Terraform prints is appended to this file. */
  readonly logFile: string;
  /** When it fires, Terraform is asked to finish what it is doing and to save its state. */
  readonly signal: AbortSignal;
  /** Progress, one line of Terraform at a time. */
  readonly onLine?: (line: string) => void;
}

/** Attribute of a provider schema; `type` is in Terraform's own notation: `"string"`, `["list", "string"]`. */
interface SchemaAttribute {
  readonly type?: unknown;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
}

/** Block of a provider schema. */
export interface SchemaBlock {
  readonly attributes?: Readonly<Record<string, SchemaAttribute>>;
  readonly block_types?: Readonly<
    Record<string, { nesting_mode: string; block: SchemaBlock; min_items?: number; max_items?: number }>
  >;
}

/** The part of `terraform providers schema -json` that we read. */
export interface ProviderSchemas {
  readonly provider_schemas: Readonly<
    Record<
      string,
      {
        readonly provider: { readonly block: SchemaBlock };
        readonly resource_schemas: Readonly<Record<string, { readonly block: SchemaBlock }>>;
      }
    >
  >;
}

/** Terraform (or OpenTofu) in one folder. All methods throw CommandError with the tail of what it printed. */
export interface Terraform {
  /** Installs the provider into the folder; needs no network when the CLI configuration names a mirror. */
  init(): Promise<void>;
  apply(): Promise<void>;
  /** Compares the machines with the configuration: `no-changes`, or the plan as text. */
  plan(): Promise<string>;
  /**
   * Removes everything of the state. Give it another signal than the interrupt: machines must be removed after Ctrl-C
   * too.
   */
  destroy(): Promise<void>;
  providersSchema(): Promise<ProviderSchemas>;
}

/** Waits for a Terraform that a killed lab left at work in a folder: what it makes meanwhile would be found too late. */
export function awaitTerraform(host: Pick<Host, 'waitFor' | 'signal'>, folder: string): Promise<void> {
  return awaitWorkIn(host, folder, TERRAFORM_MARK);
}

/** Result of `plan` when the machines are what the configuration says. */
export const NO_CHANGES = 'no-changes';

/** Waits for a state that another Terraform, which was just interrupted, still saves. */
const LOCK = `-lock-timeout=${TIME_LIMITS.machines.terraformLock.ms / 1000}s`;

/**
 * Returns Terraform in a folder.
 *
 * It runs in a session of its own (`setsid`): Ctrl-C reaches every process of the terminal's foreground group, and
 * a second interrupt, ours, would make Terraform give up without saving its state. Our abort sends it one SIGTERM,
 * which it treats as an interrupt, and waits for it.
 */
export function createTerraform(options: TerraformOptions): Terraform {
  const call = async (args: readonly string[], more: CommandOptions = {}) =>
    options.run('setsid', [options.program, ...args], {
      cwd: options.dir,
      ...terraformEnvironment(options.cliConfig),
      killAfterMs: TIME_LIMITS.machines.terraformEnds.ms,
      logFile: options.logFile,
      ...(options.onLine === undefined ? {} : { onLine: options.onLine }),
      ...more,
    });
  const { signal } = options;
  const plain = ['-input=false', '-no-color'];
  return {
    init: async () => {
      // -upgrade: a provider may have been built again since (other Go, same version and address). The lock file of
      // the folder would then refuse it, and the world could not be destroyed.
      await call(['init', '-upgrade', ...plain], { signal });
    },
    apply: async () => {
      await call(['apply', '-auto-approve', LOCK, ...plain], { signal });
    },
    plan: async () => {
      const result = await call(['plan', '-detailed-exitcode', LOCK, ...plain], { signal, okStatus: [0, 2] });
      return result.status === 0 ? NO_CHANGES : result.stdout;
    },
    destroy: async () => {
      await call(['destroy', '-auto-approve', LOCK, ...plain], { signal });
    },
    providersSchema: async () => {
      const result = await options.run('setsid', [options.program, 'providers', 'schema', '-json'], {
        cwd: options.dir,
        ...terraformEnvironment(options.cliConfig),
        signal,
      });
      return JSON.parse(result.stdout) as ProviderSchemas;
    },
  };
}
