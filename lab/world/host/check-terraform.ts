import type { Check } from './check.ts';

/** Any Terraform or OpenTofu will do; without one OpenTofu is built once (see `packages` for Go). */
export const checkTerraform: Check = {
  name: 'terraform',
  look: ({ facts }) => {
    const tool = facts.findTool('terraform') ?? facts.findTool('tofu');
    return { ok: true, found: tool ?? 'none on PATH: OpenTofu will be built once, about a minute' };
  },
};
