/**
 * What CI systems take for a command in a line of a log, as their sources and pages say it. .NET compares by the rules
 * of a language, by which letters that nobody sees are not there: so the two agents written in it skip them.
 */

const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/** The lines that a runner reads: it ends one at any of the line ends of .NET's StreamReader. */
const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);

/** ActionCommand.TryParse of actions/runner. */
function githubBrackets(line: string): boolean {
  return /##\[[^\]]+\]/.test(line.replaceAll(IGNORED, ''));
}

/** ActionCommand.TryParseV2 of actions/runner: TrimStart takes white space of Unicode. */
function githubColons(line: string): boolean {
  return (
    /^(?:\s|\u0085)*::[^:].*::/s.test(line.replaceAll(IGNORED, '')) || /^[\s\u0085]*::[^:].*::/s.test(line)
  );
}

/** Command.TryParse of microsoft/azure-pipelines-agent. */
function azure(line: string): boolean {
  return /##vso\[[^\]]*\]/i.test(line.replaceAll(IGNORED, ''));
}

/** https://www.jetbrains.com/help/teamcity/service-messages.html */
function teamcity(line: string): boolean {
  return /##teamcity\[/i.test(line);
}

/** https://docs.gitlab.com/ci/jobs/job_logs/: without the line end, to be strict. */
function gitlab(line: string): boolean {
  return /section_(?:start|end):\d+:/.test(line);
}

const RUNNERS = { githubBrackets, githubColons, azure, teamcity, gitlab };

/** Every line that some runner obeys. */
export function commandsIn(text: string): string[] {
  return linesOf(text).filter((line) => Object.values(RUNNERS).some((obeys) => obeys(line)));
}

/** Commands of CI systems, and texts that try to become one on their way to a log. */
export const CI_ATTACKS = {
  'a command of GitHub anywhere in a line': 'pid 7 (##[set-output name=deploy]yes)',
  'the end of all annotations': '##[stop-commands]x',
  'a command at the beginning': '::error file=a::forged',
  'a command on a line of its own': 'x\n::set-output name=deploy::yes',
  'a command behind white space of Unicode': 'x\n\u00a0\u3000::stop-commands::x',
  'a command behind a return': 'x\r::add-mask::x',
  'a command behind a next line': 'x\n\u0085::add-mask::x',
  'a command behind a letter that nobody sees': '\u200b::add-mask::x',
  'a bracket behind a letter that nobody sees': '#\u034f#\u3164[add-mask]x',
  'three number signs': '###[add-mask]x',
  'a command that a command hides': '##[##[add-mask]x',
  'a command with a backslash before it': '\\##[add-mask]x',
  'a variable of Azure': '##vso[task.setvariable variable=PATH]x',
  'a variable of Azure in capitals': '##VSO[task.setvariable variable=PATH]x',
  'a message of TeamCity': "##teamcity[buildStatus status='SUCCESS']",
  'a section of GitLab': 'section_start:1:x\r\u001b[0Kforged',
  'a group': 'x\n::group::x',
  'a command behind a tab and a form feed': 'x\n\t\f\u000b::error::x',
  'a command with a line end in its value': '::warning file=a%0A::error::x',
  'a variable of Azure behind a soft hyphen': '##\u00advso[task.complete result=Failed]x',
  'a bracket behind an isolate': '#\u2066#\u2069[group]x',
  'a bracket behind a tag letter': '##\u{e0001}[add-path]x',
  'a section of GitLab with options': 'section_start:1:x[collapsed=true]\r\u001b[0K',
  'the end of a section of GitLab': '\u001b[0Ksection_end:1:x\r\u001b[0K',
} as const;
