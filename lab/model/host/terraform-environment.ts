import type { CommandOptions } from './host.ts';

/** Names of variables with which a user's environment would change what Terraform or the provider does. */
const FOREIGN = /^(TF_|TERRAFORM_|TOFU_|LIBVIRT_)/;

/** This variable distinguishes a Terraform of ours from a process of somebody else. */
export const TERRAFORM_MARK = 'TF_IN_AUTOMATION=1';

/**
 * The environment of every Terraform that we start.
 *
 * @param cliConfig the CLI configuration file that says where providers come from; `/dev/null` for none.
 * @param more further variables.
 */
export function terraformEnvironment(
  cliConfig: string,
  more: Readonly<Record<string, string>> = {},
): Required<Pick<CommandOptions, 'env' | 'withoutEnv'>> {
  return {
    withoutEnv: FOREIGN,
    env: { CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1', TF_CLI_CONFIG_FILE: cliConfig, ...more },
  };
}

/** The oldest release of Terraform that the stacks are for; every OpenTofu is newer. */
export const OLDEST_TERRAFORM = '1.5';
