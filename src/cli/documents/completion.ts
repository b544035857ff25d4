/**
 * Completion for bash, zsh and fish, from the same tables as the help. Options and fixed values are written into the
 * script; ids of minions are asked from `salt-key`. Ids come from outside: no script ever lets a shell evaluate them.
 */
import { optionHelp, shownOptions } from '../command-line/help.ts';
import { commandsOf } from '../options/programs.ts';
import { allOptions, takesValue, type CliOption, type CliProgram } from '../command-line/optparse.ts';

/** The shells there is completion for. */
export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A shell there is completion for. */
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** Names that are known when the script is made. */
export interface CompletionNames {
  readonly programs: readonly CliProgram[];
  /** Execution functions, e.g. `test.ping`. */
  readonly functions: readonly string[];
  /** Runner functions, e.g. `jobs.active`. */
  readonly runners: readonly string[];
  /** Names for `--out`. */
  readonly outputters: readonly string[];
}

/** What a word may be completed with. */
type Candidates =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'ids'; readonly list: string }
  | { readonly kind: 'functions' | 'runners' | 'files' | 'folders' | 'nothing' };

/** The script for one shell. */
export function renderCompletion(shell: CompletionShell, names: CompletionNames): string {
  switch (shell) {
    case 'bash':
      return renderBash(names);
    case 'zsh':
      return renderZsh(names);
    case 'fish':
      return renderFish(names);
  }
}

const FOLDER_DESTS = new Set([
  'config_dir',
  'gen_keys_dir',
  'signature_path',
  'module_dirs',
  'file_root',
  'pillar_root',
  'states_dir',
  'cachedir',
  'profiling_path',
]);
const FILE_DESTS = new Set([
  'pillar',
  'grains',
  'saltfile',
  'output_file',
  'log_file',
  'key_logfile',
  'syndic_log_file',
  'pidfile',
  'priv',
  'pub',
]);
const KEY_LISTS = new Map([
  ['accept', 'pre'],
  ['reject', 'pre'],
  ['delete', 'all'],
  ['print', 'all'],
  ['finger', 'all'],
]);
const FIXED_WORDS = new Map<string, readonly string[]>([
  ['state_output', ['full', 'terse', 'mixed', 'changes', 'filter']],
  ['state_verbose', ['True', 'False']],
  ['rotate_aes_key', ['True', 'False']],
  ['preserve_minions', ['True', 'False']],
  ['list', ['accepted', 'unaccepted', 'rejected', 'denied', 'all']],
]);

/** What the value of an option may be. */
function valueCandidates(program: CliProgram, option: CliOption, names: CompletionNames): Candidates {
  const { dest } = option;
  if (option.choices) return { kind: 'words', words: option.choices };
  if (dest === 'output') return { kind: 'words', words: names.outputters };
  const list = program.name === 'salt-key' ? KEY_LISTS.get(dest) : undefined;
  if (list !== undefined) return { kind: 'ids', list };
  const words = FIXED_WORDS.get(dest);
  if (words !== undefined) return { kind: 'words', words };
  if (FOLDER_DESTS.has(dest)) return { kind: 'folders' };
  return { kind: FILE_DESTS.has(dest) ? 'files' : 'nothing' };
}

/** What each word that is no option may be; the last entry is for all that follow. */
function wordCandidates(program: CliProgram): readonly Candidates[] {
  const ids: Candidates = { kind: 'ids', list: 'accepted' };
  switch (program.name) {
    case 'salt':
      return [ids, { kind: 'functions' }, { kind: 'nothing' }];
    case 'salt-cp':
      return [ids, { kind: 'files' }];
    case 'salt-call':
      return [{ kind: 'functions' }, { kind: 'nothing' }];
    case 'salt-run':
      return [{ kind: 'runners' }, { kind: 'nothing' }];
    case 'brine':
      return [{ kind: 'words', words: ['takeover'] }, { kind: 'nothing' }];
    case 'sls':
      return [{ kind: 'words', words: ['check', 'schema'] }, { kind: 'files' }];
    default:
      return [{ kind: 'nothing' }];
  }
}

function options(program: CliProgram): CliOption[] {
  return shownOptions(allOptions(program));
}

/** Names that go into a script as they are: anything else would need the quoting of three shells. */
function plainWords(words: readonly string[]): string[] {
  return words.filter((word) => /^[\w.+-]+$/.test(word));
}

// ---------------------------------------------------------------- bash

const BASH_HEAD = `# Completion of Brine's commands for bash.
# Candidates are read line by line and quoted: an id such as \`$(x)\` stays a word.
_brine_add() {
  local word quoted
  while IFS= read -r word; do
    [[ "$word" == "$1"* ]] || continue
    printf -v quoted %q "$word"
    COMPREPLY+=("$quoted")
  done
}
_brine_words() {
  local current="$1"
  shift
  _brine_add "$current" < <(printf '%s\\n' "$@")
}
_brine_ids() {
  local -a config=()
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      -c | --config-dir) [[ "\${COMP_WORDS[i + 1]}" == = ]] && config=(-c "\${COMP_WORDS[i + 2]}") || config=(-c "\${COMP_WORDS[i + 1]}") ;;
    esac
  done
  _brine_add "$1" < <(command salt-key "\${config[@]}" --out=newline_values_only --list="$2" 2>/dev/null </dev/null)
}
_brine_files() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$2" -- "$1")
  compopt -o filenames 2>/dev/null
}`;

function renderBash(names: CompletionNames): string {
  return [
    BASH_HEAD,
    bashList('_brine_functions', names.functions),
    bashList('_brine_runners', names.runners),
    ...names.programs.map((program) => bashProgram(program, names)),
    '',
  ].join('\n');
}

function bashList(name: string, words: readonly string[]): string {
  return `${name}() { _brine_words "$1" ${plainWords(words).join(' ')}; }`;
}

function bashProgram(program: CliProgram, names: CompletionNames): string {
  const name = `_brine_${program.name.replaceAll('-', '_')}`;
  const valued = options(program).filter(takesValue);
  const values = valued.map((option) => {
    const action = bashAction(valueCandidates(program, option, names));
    return `    ${option.flags.join(' | ')}) ${action}; return ;;`;
  });
  const words = wordCandidates(program);
  const positions = words.map((it, index) => {
    const pattern = index === words.length - 1 ? '*' : String(index);
    return `    ${pattern}) ${bashAction(it)} ;;`;
  });
  const flags = options(program).flatMap((option) => option.flags);
  return `${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="\${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
${values.join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" ${flags.join(' ')}
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${valued.flatMap((option) => option.flags).join(' | ')}) [[ "\${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
${positions.join('\n')}
  esac
}
complete -F ${name} ${commandsOf(program).join(' ')}`;
}

function bashAction(candidates: Candidates): string {
  switch (candidates.kind) {
    case 'words':
      return `_brine_words "$current" ${plainWords(candidates.words).join(' ')}`;
    case 'ids':
      return `_brine_ids "$current" ${candidates.list}`;
    case 'functions':
      return '_brine_functions "$current"';
    case 'runners':
      return '_brine_runners "$current"';
    case 'files':
      return '_brine_files "$current" -f';
    case 'folders':
      return '_brine_files "$current" -d';
    case 'nothing':
      return ':';
  }
}

// ---------------------------------------------------------------- zsh

function renderZsh(names: CompletionNames): string {
  const list = (name: string, words: readonly string[]): string =>
    `${name}() { local -a words_; words_=(${plainWords(words).join(' ')}); compadd -a words_ }`;
  const programs = names.programs.map((program) => {
    const specs = [
      ...options(program).flatMap((option) => zshOption(program, option, names)),
      ...zshPositions(program),
    ];
    return `    ${commandsOf(program).join('|')}) _arguments -s -S \\\n      ${specs.join(' \\\n      ')} ;;`;
  });
  return `#compdef ${names.programs.flatMap(commandsOf).join(' ')}
# Completion of Brine's commands for zsh.
_brine_ids() {
  local -a ids config
  local dir="\${opt_args[-c]:-\${opt_args[--config-dir]}}"
  [[ -n "$dir" ]] && config=(-c "\${(Q)dir}")
  ids=("\${(@f)$(command salt-key $config --out=newline_values_only --list=$1 2>/dev/null </dev/null)}")
  compadd -- "\${(@)ids:#}"
}
_brine_ids_accepted() { _brine_ids accepted }
_brine_ids_pre() { _brine_ids pre }
_brine_ids_all() { _brine_ids all }
${list('_brine_functions', names.functions)}
${list('_brine_runners', names.runners)}
_brine() {
  case "$service" in
${programs.join('\n')}
  esac
}
_brine "$@"
`;
}

function zshOption(program: CliProgram, option: CliOption, names: CompletionNames): string[] {
  const help = zshText(firstSentence(option));
  const repeat = option.action === 'append' ? '*' : '';
  return option.flags.map((flag) => {
    const others = repeat === '' ? `(${option.flags.join(' ')})` : '';
    if (!takesValue(option)) return shellQuote(`${others}${flag}[${help}]`);
    const value = `:${zshText(option.metavar ?? option.dest)}:${zshAction(valueCandidates(program, option, names))}`;
    return shellQuote(`${repeat}${others}${flag}${flag.startsWith('--') ? '=' : '+'}[${help}]${value}`);
  });
}

function zshPositions(program: CliProgram): string[] {
  const words = wordCandidates(program);
  return words.map((it, index) => {
    const place = index === words.length - 1 ? '*' : String(index + 1);
    return shellQuote(`${place}:word:${zshAction(it)}`);
  });
}

function zshAction(candidates: Candidates): string {
  switch (candidates.kind) {
    case 'words':
      return `(${plainWords(candidates.words).join(' ')})`;
    case 'ids':
      return `_brine_ids_${candidates.list}`;
    case 'functions':
      return '_brine_functions';
    case 'runners':
      return '_brine_runners';
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'nothing':
      return ' ';
  }
}

function zshText(text: string): string {
  return text.replace(/[[\]:\\]/g, (character) => `\\${character}`);
}

// ---------------------------------------------------------------- fish

const FISH_HEAD = `# Completion of Brine's commands for fish.
function __brine_ids
  set -l config
  set -l words (commandline -opc)
  for i in (seq (count $words))
    switch $words[$i]
      case -c --config-dir
        set -l next (math $i + 1)
        test $next -le (count $words); and set config -c $words[$next]
      case '--config-dir=*'
        set config (string replace -- --config-dir= -c $words[$i])
    end
  end
  command salt-key $config --out=newline_values_only --list=$argv[1] 2>/dev/null </dev/null
end
# True when so many words that are no options stand before the cursor; the options with values follow.
function __brine_at
  set -l wanted $argv[1]
  set -l valued $argv[2..-1]
  set -l words (commandline -opc)
  set -l found 0
  set -l skip 1
  for word in $words
    if test $skip -eq 1
      set skip 0
    else if contains -- $word $valued
      set skip 1
    else if not string match -q -- '-*' $word
      set found (math $found + 1)
    end
  end
  test $found -eq $wanted
end`;

function renderFish(names: CompletionNames): string {
  const list = (name: string, words: readonly string[]): string =>
    `function ${name}; printf '%s\\n' ${plainWords(words).join(' ')}; end`;
  return [
    FISH_HEAD,
    list('__brine_functions', names.functions),
    list('__brine_runners', names.runners),
    ...names.programs.flatMap((program) => fishProgram(program, names)),
    '',
  ].join('\n');
}

function fishProgram(program: CliProgram, names: CompletionNames): string[] {
  const valued = options(program).filter(takesValue);
  const flags = valued.flatMap((option) => option.flags).join(' ');
  const words = wordCandidates(program).flatMap((it, index) => {
    const action = fishAction(it);
    if (it.kind === 'files') return [`complete -c ${program.name} -n 'not __brine_at 0 ${flags}' -F`];
    return action === ''
      ? []
      : [`complete -c ${program.name} -n '__brine_at ${index} ${flags}' -a ${action}`];
  });
  return [
    ...commandsOf(program)
      .slice(1)
      .map((name) => `complete -c ${name} -w ${program.name}`),
    `complete -c ${program.name} -f`,
    ...options(program).map((option) => fishOption(program, option, names)),
    ...words,
  ];
}

function fishOption(program: CliProgram, option: CliOption, names: CompletionNames): string {
  const spellings = option.flags.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const help = shellQuoteFish(firstSentence(option));
  const parts = [`complete -c ${program.name}`, ...spellings, `-d ${help}`];
  if (takesValue(option)) {
    const candidates = valueCandidates(program, option, names);
    const action = fishAction(candidates);
    parts.push(candidates.kind === 'files' || candidates.kind === 'folders' ? '-r -F' : '-x');
    if (action !== '') parts.push(`-a ${action}`);
  }
  return parts.join(' ');
}

function fishAction(candidates: Candidates): string {
  switch (candidates.kind) {
    case 'words':
      return shellQuoteFish(plainWords(candidates.words).join(' '));
    case 'ids':
      return `'(__brine_ids ${candidates.list})'`;
    case 'functions':
      return "'(__brine_functions)'";
    case 'runners':
      return "'(__brine_runners)'";
    case 'files':
    case 'folders':
    case 'nothing':
      return '';
  }
}

// ---------------------------------------------------------------- texts

function firstSentence(option: CliOption): string {
  return (optionHelp(option, {}).split(/(?<=[.;:]) /)[0] ?? '').replace(/[.;:]$/, '');
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function shellQuoteFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
