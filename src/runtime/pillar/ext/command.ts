/** The external pillars cmd_json and cmd_yaml: what a command prints (3006.16 salt/pillar/cmd_json.py, salt/pillar/cmd_yaml.py). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import { runProcess } from '../../../host/process.ts';
import { parseJson } from '../../../formats/json/text.ts';
import type { Value } from '../../../python/values/value.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import { checkSourceSize, namedSettings, SOURCE_BYTES_MAX, type ExtPillar } from './ext-pillar.ts';

/** Longer a command may not take: the minion waits. */
const COMMAND_TIMEOUT_MS = 60_000;

/** Ids that mean the same to a shell with and without quotes around them, and to no program an option. */
const PLAIN_ID = /^[\p{L}\p{N}_][\p{L}\p{N}_.@:+,-]*$/u;

/** Makes one of the two. @param read reads what the command printed */
function commandPillar(format: string, read: (text: string) => Value, clock: Clock): ExtPillar {
  return async (settings, { minionId, log }) => {
    const command = namedSettings(settings, ['command']).get('command');
    if (typeof command !== 'string') throw new CommandExecutionError('the command is missing');
    // the id comes from the minion, and nobody knows whether quotes stand around %s: quoting it could open them
    if (command.includes('%s') && !PLAIN_ID.test(minionId))
      throw new CommandExecutionError(
        `the id ${JSON.stringify(minionId)} holds characters that a shell reads, so '${command}' is not run for it`,
      );
    const line = command.replaceAll('%s', () => minionId);
    const result = await runProcess(['/bin/sh', '-c', line], {
      timeoutMs: COMMAND_TIMEOUT_MS,
      clock,
      outputLimitBytes: SOURCE_BYTES_MAX,
    });
    // half of it would be read as damaged, and minions would get a pillar without it
    checkSourceSize(`'${command}'`, result.stdout.length + result.droppedBytes);
    try {
      return read(result.stdout.toString('utf8').replace(/\n+$/, ''));
    } catch (error) {
      log.critical(
        `${format} data from '${command}' failed to parse (exit code ${result.retcode}): ${messageOf(error)}`,
      );
      return new Map();
    }
  };
}

export const cmdJson = (clock: Clock): ExtPillar => commandPillar('JSON', parseJson, clock);
export const cmdYaml = (clock: Clock): ExtPillar => commandPillar('YAML', (text) => loadYaml(text), clock);
