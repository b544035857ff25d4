/**
 * The external pillars that take what a command prints: `cmd_json`, `cmd_yaml`, `cmd_yamlex`, `puppet` and `hiera`
 * (3006.16 salt/pillar/).
 */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import { runProcess } from '../../../host/process.ts';
import { findProgram } from '../../../host/which.ts';
import { parseJson } from '../../../formats/json/text.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import { loadYamlex } from '../../../formats/yaml/yamlex.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Value } from '../../../python/values/value.ts';
import { checkSourceSize, namedSettings, SOURCE_BYTES_MAX, type ExtPillar } from './ext-pillar.ts';

/** Longer a command may not take: the minion waits. */
const COMMAND_TIMEOUT_MS = 60_000;

/** Ids that mean the same to a shell with and without quotes around them, and to no program an option. */
const PLAIN_ID = /^[\p{L}\p{N}_][\p{L}\p{N}_.@:+,-]*$/u;

/** Makes one of those with `%s`. @param read reads what the command printed */
function commandPillar(format: string, read: (text: string) => Value, clock: Clock): ExtPillar {
  return async (settings, { minionId, log }) => {
    const command = commandIn(settings);
    // the id comes from the minion, and nobody knows whether quotes stand around %s: quoting it could open them
    if (command.includes('%s') && !PLAIN_ID.test(minionId))
      throw new CommandExecutionError(
        `the id ${JSON.stringify(minionId)} holds characters that a shell reads, so '${command}' is not run for it`,
      );
    const line = command.replaceAll('%s', () => minionId);
    const { text, retcode } = await printed(['/bin/sh', '-c', line], command, clock);
    try {
      return read(text);
    } catch (error) {
      log.critical(
        `${format} data from '${command}' failed to parse (exit code ${retcode}): ${messageOf(error)}`,
      );
      return new Map();
    }
  };
}

export const cmdJson = (clock: Clock): ExtPillar => commandPillar('JSON', parseJson, clock);
export const cmdYaml = (clock: Clock): ExtPillar => commandPillar('YAML', (text) => loadYaml(text), clock);
export const cmdYamlex = (clock: Clock): ExtPillar =>
  commandPillar('YAML', (text) => loadYamlex(text), clock);

/**
 * `puppet`: the `parameters` that an external node classifier prints (3006.16 salt/pillar/puppet.py).
 * Salt compat: the id is a word of its own and reaches no shell; a classifier that fails, fails the pillar.
 */
export function puppetPillar(clock: Clock): ExtPillar {
  return async (settings, { minionId }) => {
    const command = commandIn(settings);
    if (minionId.startsWith('-'))
      throw new CommandExecutionError(
        `'${command}' would take the id ${minionId} for an option, and is not run for it`,
      );
    const { text, retcode, stderr } = await printed([...splitWords(command), minionId], command, clock);
    if (retcode !== 0)
      throw new CommandExecutionError(
        `'${command}' for ${minionId} ended with exit code ${retcode}: ${stderr}`,
      );
    const data = loadYaml(text);
    const parameters = isDict(data) ? data.get('parameters') : undefined;
    if (!isDict(parameters))
      throw new CommandExecutionError(`'${command}' for ${minionId} printed no mapping with parameters`);
    return parameters;
  };
}

/**
 * `hiera`: what the command hiera prints for the grains that are texts (3006.16 salt/pillar/hiera.py).
 * Salt compat: grains are words of their own and reach no shell; a hiera that fails, fails the pillar.
 */
export function hieraPillar(clock: Clock): ExtPillar {
  return async (settings, { grains }) => {
    const conf = pyStr(namedSettings(settings, ['conf']).get('conf') ?? null);
    const program = findProgram('hiera');
    if (program === undefined)
      throw new CommandExecutionError('the program hiera is not installed; install the package hiera');
    // a name that is no plain word could be taken for an option, or for what is looked up
    const facts = [...grains].filter(
      ([name, value]) => typeof value === 'string' && /^\w+$/.test(pyStr(name)),
    );
    const words = ['-c', conf, ...facts.map(([name, value]) => `${pyStr(name)}=${pyStr(value)}`)];
    const { text, retcode, stderr } = await printed([program, ...words], `hiera -c ${conf}`, clock);
    if (retcode !== 0)
      throw new CommandExecutionError(`'hiera -c ${conf}' ended with exit code ${retcode}: ${stderr}`);
    return loadYaml(text);
  };
}

function commandIn(settings: Value): string {
  const command = namedSettings(settings, ['command']).get('command');
  if (typeof command !== 'string') throw new CommandExecutionError('the command is missing');
  return command;
}

async function printed(
  argv: readonly string[],
  shown: string,
  clock: Clock,
): Promise<{ text: string; retcode: number; stderr: string }> {
  const result = await runProcess(argv, {
    timeoutMs: COMMAND_TIMEOUT_MS,
    diesWithUs: true,
    clock,
    outputLimitBytes: SOURCE_BYTES_MAX,
  });
  if (result.timedOut)
    throw new CommandExecutionError(`'${shown}' did not end within ${COMMAND_TIMEOUT_MS / 1000} seconds`);
  // half of it would be read as damaged, and minions would get a pillar without it
  checkSourceSize(`'${shown}'`, result.stdout.length + result.droppedBytes);
  return {
    text: result.stdout.toString('utf8').replace(/\n+$/, ''),
    retcode: result.retcode,
    stderr: result.stderr.toString('utf8').trim().slice(-500),
  };
}
