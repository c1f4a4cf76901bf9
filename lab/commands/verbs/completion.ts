import { UsageError } from '../../model/errors/errors.ts';
import { formatHint } from '../../model/text/nearest.ts';
import type { ClosedWord } from '../context/closed-words.ts';
import type { RunVerb } from '../context/context.ts';

/**
 * Each script calls `whodunit complete <line up to the cursor>`, which prints one candidate a line. bash splits words
 * at = and :, so there only the text after the last of these is inserted. No blank follows a candidate that ends with =
 * or /.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# whodunit completion bash: source this, for example from ~/.bashrc
_whodunit() {
  local line=\${COMP_LINE:0:COMP_POINT} word cut
  word=\${line##*[[:space:]]}
  cut=\${word%"\${word##*[=:]}"}
  mapfile -t COMPREPLY < <(whodunit complete "$line" 2>/dev/null)
  [[ $cut != "" ]] && COMPREPLY=("\${COMPREPLY[@]#"$cut"}")
  [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -F _whodunit whodunit`,
  zsh: `#compdef whodunit
# whodunit completion zsh: source this after compinit, for example from ~/.zshrc
_whodunit() {
  local -a found
  found=("\${(@f)$(whodunit complete "\${(j: :)\${(@Q)words[1,CURRENT-1]}} \${(Q)PREFIX}" 2>/dev/null)}")
  compadd -S '' -- \${(M)found:#*[=/]}
  compadd -- \${found:#(|*[=/])}
}
compdef _whodunit whodunit`,
  fish: `# whodunit completion fish: save this as ~/.config/fish/completions/whodunit.fish
complete -c whodunit -f -a '(whodunit complete (commandline -cp) 2>/dev/null)'`,
} satisfies Record<ClosedWord<'completion'>, string>;

/** `whodunit completion bash|zsh|fish`: prints the completion script for that shell. */
export const runCompletion: RunVerb = async (_context, words) => {
  const [shell = ''] = words;
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new UsageError(`there is no completion for "${shell}"${formatHint(shell, Object.keys(SCRIPTS))}`, {
      tryNext: 'npx whodunit help completion',
    });
  return { status: 'passed', text: () => script };
};
