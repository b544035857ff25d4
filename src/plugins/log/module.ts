/** `log`: lines in the minion's log, for templates (3006.16 salt/modules/logmod.py). */
import type { Logger } from '../../host/log.ts';
import { defineFunction, defineModule, type FunctionSpec } from '../../runtime/loader/module.ts';
import type { Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';

function logs(level: string, write: (log: Logger, message: string) => void): FunctionSpec {
  return defineFunction({
    doc: `Writes a line at level ${level} to the minion's log.`,
    params: { message: param.text({ doc: 'The text.' }) },
    returns: 'True',
    run: (ctx, { message }): Value => {
      write(ctx.log, message);
      return true;
    },
  });
}

/** The module `log`. */
export const logModule = defineModule({
  name: 'log',
  file: 'logmod',
  doc: 'Lines in the log, for use in templates.',
  functions: {
    debug: logs('debug', (log, message) => log.debug(message)),
    info: logs('info', (log, message) => log.info(message)),
    warning: logs('warning', (log, message) => log.warning(message)),
    error: logs('error', (log, message) => log.error(message)),
    critical: logs('critical', (log, message) => log.critical(message)),
    exception: logs('error', (log, message) => log.error(message)),
  },
});
