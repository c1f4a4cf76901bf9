/**
 * What the log of a CI system obeys. A runner reads what a step prints, standard error too, and takes some texts for its
 * own commands: they set outputs and variables, hide or fold lines, stop annotations, fail the step. A text of evidence
 * or of a file is printed as a text that no runner takes for one.
 *
 * A letter that nobody sees would not help: .NET compares `##[` by the rules of a language, which skip such letters. So
 * these functions expect a text without them (plain-text.ts), and write a letter that is seen.
 */

/**
 * `##[name]` anywhere in a line is a command of GitHub Actions
 * (https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs, TryParse) and a format of Azure
 * Pipelines, `##vso[` one of Azure Pipelines (Command.cs of its agent), `##teamcity[` one of TeamCity.
 */
const NUMBER_SIGNS = /#(#\w*)\[/g;
/** `::name::` at the beginning of a line, behind any white space, is a command of GitHub Actions (TryParseV2). */
const COLONS = /^((?:[^\S\r\n]|\u0085)*):(?=:)/gm;
/** `section_start:<seconds>:<name>` begins a section of GitLab. */
const SECTION = /(section_(?:start|end)):(?=\d)/gi;

/** Whether one of the patterns may match: to look for their letters takes a tenth of the time, and a page has millions of texts. */
function mayCommand(text: string): boolean {
  return text.includes('##') || text.includes('::') || text.includes('_');
}

/** A text of lines in which no CI system finds a command: a backslash is in the way. */
export function disarmText(text: string): string {
  if (!mayCommand(text)) return text;
  return text.replaceAll(NUMBER_SIGNS, '#$1\\[').replaceAll(COLONS, '$1\\:').replaceAll(SECTION, '$1\\:');
}

/** JSON that means the same, and in which no CI system finds a command. No line of JSON begins with a colon. */
export function disarmJson(json: string): string {
  if (!mayCommand(json)) return json;
  return json.replaceAll(NUMBER_SIGNS, '#$1\\u005b').replaceAll(SECTION, '$1\\u003a');
}

/** A text of HTML or XML, with all else escaped, that means the same and in which no CI system finds a command. */
export function disarmMarkup(markup: string): string {
  if (!mayCommand(markup)) return markup;
  return markup
    .replaceAll(NUMBER_SIGNS, '#$1&#91;')
    .replaceAll(COLONS, '$1&#58;')
    .replaceAll(SECTION, '$1&#58;');
}
