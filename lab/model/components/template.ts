import { z } from 'zod';
import { nearestName } from '../text/nearest.ts';

/** What is filled into a template of components.yaml: parts of the exact version. */
export const TEMPLATE_FIELDS = ['version', 'major', 'minor', 'patch'] as const;

/**
 * A schema of texts with `{field}` in them.
 *
 * @param others fields that only this text knows.
 */
export function templateSchema(
  text: z.ZodString = z.string(),
  others: readonly string[] = [],
): z.ZodType<string, string> {
  const known = [...TEMPLATE_FIELDS, ...others];
  return text.superRefine((template, context) => {
    const mistake = findMistake(template, known);
    if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake });
  });
}

/** What a template should have been; undefined when nothing is wrong with its fields. */
function findMistake(template: string, known: readonly string[]): string | undefined {
  const shown = known.map((name) => `{${name}}`).join(', ');
  for (const [, name = ''] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const meant = nearest === undefined ? '' : ` ({${nearest}} for {${name}}?)`;
    return `a template with no field but ${shown}${meant}`;
  }
  return /[{}]/.test(template.replaceAll(/\{[^{}]*\}/g, ''))
    ? `a template whose fields are closed: ${shown}`
    : undefined;
}
