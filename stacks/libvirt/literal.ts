/**
 * Returns text that Terraform takes literally: `${` and `%{` start a template in every string of a JSON
 * configuration, keys included, and a path may contain them. Doubling the first character escapes them.
 */
export function literal(text: string): string {
  return text.replaceAll(/[$%]\{/g, (start) => `${start.charAt(0)}${start}`);
}
