/** `cmd`: running commands and scripts. Follows 3006.16 salt/modules/cmdmod.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import type { Value } from '../../python/values/value.ts';
import { runChroot } from './module/chroot.ts';
import { commandLabel } from './module/command-line.ts';
import { atLeastError, failureMessage, outcomeDict, runCommand } from './module/execute.ts';
import { codeArgumentsOf, outputLevel, textIfSet, textOf } from './module/options.ts';
import {
  ARGS,
  commandFunction,
  POWERSHELL,
  POWERSHELL_ALL,
  RETCODE,
  RUN,
  RUN_ALL,
  RUN_BG,
  RUN_CHROOT,
  RUN_STREAM,
  SCRIPT,
  SCRIPT_RETCODE,
  SHELL,
  withShell,
  withShellDefault,
  type CommandOptions,
} from './module/params.ts';
import { runCode, runScript } from './module/script.ts';
import { listShells, shellInfo } from './module/shells.ts';
import { writeTerminal } from './module/terminal.ts';

/** `cmd.run`: the output, with its own two lines in the log. */
async function runText(ctx: ModuleContext, options: CommandOptions): Promise<string> {
  const { stdout, retcode } = await runCommand(ctx, options, { merged: options.redirect_stderr === true });
  const shown = options.hide_output ? '' : stdout;
  const wanted = options.output_loglevel;
  if (wanted === 'quiet') return shown;
  let level = outputLevel(ctx.log, wanted) ?? 'debug';
  if (retcode !== null && retcode !== 0 && !options.ignore_retcode) {
    level = atLeastError(level);
    ctx.log.error(failureMessage(commandLabel(options.cmd), retcode));
    if (options.raise_err) throw new CommandExecutionError(shown);
  }
  ctx.log.log(level, `output: ${stdout}`);
  return shown;
}

async function runOneStream(
  ctx: ModuleContext,
  options: CommandOptions,
  stream: 'stdout' | 'stderr',
): Promise<string> {
  const outcome = await runCommand(ctx, withShellDefault(ctx, options), { merged: false });
  return options.hide_output ? '' : outcome[stream];
}

function refusePowershell({ shell }: CommandOptions): never {
  if (shell !== 'powershell' && shell !== 'pwsh') {
    throw new CommandExecutionError("Must specify a valid powershell binary. Must be 'powershell' or 'pwsh'");
  }
  throw new CommandExecutionError(
    'PowerShell commands work on Windows minions only. Use cmd.run_all with pwsh as the program instead.',
  );
}

function firstProgram(names: Value | undefined): string | null {
  const list = Array.isArray(names) ? names : [names];
  for (const name of list) {
    const path = typeof name === 'string' ? findProgram(name) : undefined;
    if (path !== undefined) return path;
  }
  return null;
}

const NAME_PARAM = { cmd: param.valueIfGiven({ type: 'str', doc: 'The name of the program.' }) };
const CODE = {
  lang: param.by(textOf, { type: 'str', doc: 'The interpreter: a name found in PATH, or a path.' }),
  code: param.by(textOf, { type: 'str', doc: 'The code.' }),
  args: param.by(codeArgumentsOf, {
    default: null,
    type: 'str or list',
    doc: 'Arguments for the code. Text is one argument.',
  }),
} as const;
const CODE_PARAMS = {
  lang: CODE.lang,
  code: CODE.code,
  cwd: param.by(textIfSet, {
    default: null,
    type: 'str',
    doc: 'Absolute path of the folder to run in.',
  }),
  args: CODE.args,
} as const;
const RUN_ALL_RETURN = 'a mapping of pid, retcode, stdout and stderr';

const execution = {
  run: commandFunction({
    doc: 'Runs a command and returns its output. Straight from a job a shell runs it, so that pipes and variables work; in calls between modules none does, unless python_shell=True asks for one.',
    params: RUN,
    returns: 'the output, error output included unless redirect_stderr=False',
    examples: [
      "salt '*' cmd.run 'ls -l /tmp'",
      "salt '*' cmd.run 'ls -l | wc -l'",
      "salt '*' cmd.run 'grep root' stdin='one\\nroot\\n'",
      `salt '*' cmd.run 'env' env='{"LC_TIME": "de_DE"}' runas=www-data`,
    ],
    run: (ctx, options) => runText(ctx, withShellDefault(ctx, options)),
  }),
  shell: commandFunction({
    doc: 'Runs a command in a shell and returns its output. Never put untrusted text into the command.',
    params: SHELL,
    returns: 'the output, error output included',
    examples: ["salt '*' cmd.shell 'ls -l | grep root'"],
    run: (ctx, options) => {
      const { redirect_stderr = true } = options;
      return runText(ctx, { ...withShell(options), redirect_stderr });
    },
  }),
  run_stdout: commandFunction({
    doc: 'Runs a command and returns its standard output only.',
    params: RUN_STREAM,
    returns: 'the standard output',
    examples: ["salt '*' cmd.run_stdout 'ls -l /tmp'"],
    run: (ctx, options) => runOneStream(ctx, options, 'stdout'),
  }),
  run_stderr: commandFunction({
    doc: 'Runs a command and returns its error output only.',
    params: RUN_STREAM,
    returns: 'the error output',
    examples: ["salt '*' cmd.run_stderr 'ls -l /nowhere'"],
    run: (ctx, options) => runOneStream(ctx, options, 'stderr'),
  }),
  run_all: commandFunction({
    doc: 'Runs a command and returns everything about it.',
    params: RUN_ALL,
    returns: RUN_ALL_RETURN,
    examples: ["salt '*' cmd.run_all 'ls -l /tmp'"],
    run: async (ctx, given) => {
      const options = withShellDefault(ctx, given);
      const merged = options.redirect_stderr === true;
      const result = outcomeDict(await runCommand(ctx, options, { merged }));
      if (options.hide_output) result.set('stdout', '').set('stderr', '');
      return result;
    },
  }),
  retcode: commandFunction({
    doc: 'Runs a command and returns its exit code.',
    params: RETCODE,
    returns: 'the exit code; negative for the number of the signal that ended it',
    examples: ["salt '*' cmd.retcode 'file /bin/bash'"],
    run: async (ctx, given) => {
      const options = withShellDefault(ctx, given);
      return (await runCommand(ctx, options, { merged: true })).retcode;
    },
  }),
  run_bg: commandFunction({
    doc: 'Starts a command and does not wait for it.',
    params: RUN_BG,
    returns: 'a mapping with the pid',
    examples: ["salt '*' cmd.run_bg '/opt/backup/run --all'"],
    run: async (ctx, given) => {
      const options = withShellDefault(ctx, given);
      const { pid } = await runCommand(ctx, options, { merged: false, background: true });
      return new Map<Value, Value>([['pid', pid]]);
    },
  }),
  run_chroot: commandFunction({
    doc: 'Runs a command in another root folder; /dev, /proc and /sys are mounted there meanwhile.',
    params: RUN_CHROOT,
    returns: RUN_ALL_RETURN,
    examples: ["salt '*' cmd.run_chroot /var/lib/lxc/one/rootfs 'apt-get update'"],
    run: (ctx, options) => runChroot(ctx, options),
  }),
};

const scripts = {
  script: commandFunction({
    doc: 'Fetches a script and runs it from a temporary copy, which only its user can read.',
    params: SCRIPT,
    returns: `${RUN_ALL_RETURN}; with cache_error when there is no such script`,
    examples: [
      "salt '*' cmd.script salt://scripts/runme.sh",
      `salt '*' cmd.script salt://scripts/runme.sh 'one two "three four"'`,
      "salt '*' cmd.script salt://scripts/runme.sh args='[one, two]'",
    ],
    own: ARGS,
    run: (ctx, options, { args }) => runScript(ctx, options, args),
  }),
  script_retcode: commandFunction({
    doc: 'Fetches a script, runs it and returns its exit code.',
    params: SCRIPT_RETCODE,
    returns: 'the exit code',
    examples: ["salt '*' cmd.script_retcode salt://scripts/runme.sh"],
    own: ARGS,
    run: async (ctx, options, { args }) => (await runScript(ctx, options, args)).get('retcode') ?? null,
  }),
  exec_code: commandFunction({
    doc: 'Runs code in a language that is installed on the minion and returns its output.',
    params: CODE_PARAMS,
    returns: 'the standard output',
    examples: [`salt '*' cmd.exec_code ruby 'puts "cheese"'`],
    own: CODE,
    run: async (ctx, options, code) => (await runCode(ctx, options, code)).get('stdout') ?? null,
  }),
  exec_code_all: commandFunction({
    doc: 'Runs code in a language that is installed on the minion and returns everything about it.',
    params: CODE_PARAMS,
    returns: RUN_ALL_RETURN,
    examples: [`salt '*' cmd.exec_code_all perl 'print "cheese"'`],
    own: CODE,
    run: (ctx, options, code) => runCode(ctx, options, code),
  }),
};

const lookups = {
  which: defineFunction({
    doc: 'Finds a program in the search path.',
    params: NAME_PARAM,
    returns: 'its path, or nothing',
    examples: ["salt '*' cmd.which cat"],
    run: (ctx, { cmd }) => {
      if (cmd === undefined) ctx.log.error('No executable was passed to be searched for.');
      return firstProgram(cmd);
    },
  }),
  which_bin: defineFunction({
    doc: 'Finds the first of several programs that is installed.',
    params: { cmds: param.value({ type: 'list of str', doc: 'The names of the programs.' }) },
    returns: 'its path, or nothing',
    examples: ["salt '*' cmd.which_bin '[pip2, pip, pip-python]'"],
    run: (_ctx, { cmds }) => firstProgram(cmds),
  }),
  has_exec: defineFunction({
    doc: 'Returns whether a program is installed.',
    params: NAME_PARAM,
    returns: 'true or false',
    examples: ["salt '*' cmd.has_exec cat"],
    run: (_ctx, { cmd }) => firstProgram(cmd) !== null,
  }),
  shells: defineFunction({
    doc: 'Lists the login shells of the system, as /etc/shells has them.',
    returns: 'a list of paths',
    examples: ["salt '*' cmd.shells"],
    run: () => listShells(),
  }),
  shell_info: defineFunction({
    doc: 'Returns path and version of a shell or of an interpreter: bash, perl, php, powershell, python, ruby, tcsh, zsh.',
    params: {
      shell: param.by(textOf, { type: 'str', doc: 'The name of the shell.' }),
      list_modules: param.value({
        default: false,
        type: 'bool',
        doc: 'Only for Windows: list the modules of PowerShell.',
      }),
    },
    returns: 'a mapping of installed, path, version and version_raw, or of installed and error',
    examples: ["salt '*' cmd.shell_info bash"],
    run: (ctx, { shell }) => shellInfo(ctx, shell),
  }),
  tty: defineFunction({
    doc: 'Writes text to a terminal of the minion.',
    params: {
      device: param.by(textOf, { type: 'str', doc: 'The terminal, without folder: tty1, pts3.' }),
      echo: param.by(textOf, { default: '', type: 'str', doc: 'The text.' }),
    },
    returns: 'a mapping with Success or Error and a sentence',
    examples: ["salt '*' cmd.tty tty0 'Going down in five minutes'"],
    run: (_ctx, { device, echo }) => writeTerminal(device, echo),
  }),
};

const windows = {
  powershell: commandFunction({
    doc: 'Runs a PowerShell command and returns its result. Works on Windows only.',
    params: POWERSHELL,
    returns: 'the result of the command',
    examples: ["salt '*' cmd.powershell '$PSVersionTable'"],
    run: (_ctx, options) => refusePowershell(options),
  }),
  powershell_all: commandFunction({
    doc: 'Runs a PowerShell command and returns everything about it. Works on Windows only.',
    params: POWERSHELL_ALL,
    returns: 'a mapping of pid, retcode, stderr and result',
    examples: ["salt '*' cmd.powershell_all '$PSVersionTable'"],
    run: (_ctx, options) => refusePowershell(options),
  }),
};

/** The module. */
export const cmdModule = defineModule({
  name: 'cmd',
  file: 'cmdmod',
  doc: 'Runs commands and scripts. Whoever may call it may do on the minion whatever the minion may.',
  functions: { ...execution, ...scripts, ...lookups, ...windows },
});
