/**
 * Commands in containers: their words and variables, whatever runs them (3006.16 salt/modules/container_resource.py).
 */
import { SaltInvocationError } from '../../errors/errors.ts';
import { splitWords } from '../../python/shell-words.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';

/** The path for programs of a container whose own variables are not kept. */
const CONTAINER_PATH = 'PATH=/bin:/usr/bin:/sbin:/usr/sbin:/opt/bin:/usr/local/bin:/usr/local/sbin';
/** What a shell would do more with than take words apart. */
const SHELL_SIGNS = /[|&;<>()$`\\*?[\]#~%{}!\n]|^\w+=/;

/**
 * The words of a command. Salt compat: there, a shell of this machine reads it, and takes pipes and variables for its
 * own; here one of the container does, where one is needed.
 */
export function commandWords(cmd: string, hasShell: boolean): string[] {
  const words = hasShell && SHELL_SIGNS.test(cmd) ? ['sh', '-c', cmd] : splitWords(cmd);
  if (words.length === 0) throw new SaltInvocationError('A command is needed, and there is none.');
  return words;
}

/**
 * The variables of this machine that are kept, by name, so that no argument has their values; and the path, unless it
 * is one of them. Salt compat: there, the values are arguments, which every user of the machine reads.
 */
export function keptVariables(keepEnv: Value): {
  readonly path: readonly string[];
  readonly kept: readonly string[];
} {
  const names = Array.isArray(keepEnv)
    ? keepEnv.map(pyStr)
    : typeof keepEnv === 'string'
      ? keepEnv.split(',')
      : [];
  const kept = names.filter((name) => /^[A-Za-z_]\w*$/.test(name) && process.env[name] !== undefined);
  return { path: names.includes('PATH') ? [] : [CONTAINER_PATH], kept };
}
