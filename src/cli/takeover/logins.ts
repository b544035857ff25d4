/** What a master says of those whom it is to let in before it starts, and why it would not start. */
import { loadMasterConfig } from '../../config/load.ts';
import type { Environment } from '../../config/paths.ts';
import { BrineError } from '../../errors/errors.ts';
import { createLogger, LOG_LEVELS, type LogRecord } from '../../host/log.ts';
import { checkExternalAuth } from '../../programs/master/auth/start-check.ts';
import { placeOf } from './config-files.ts';
import type { LookedAt } from './configuration.ts';
import type { Remark } from './remark.ts';

/** Looks at the log-ins of a master. */
export async function lookAtLogins(
  { files }: LookedAt,
  configDir: string,
  env: Environment,
): Promise<Remark[]> {
  const subject = 'configuration of the master';
  const place = placeOf(files, 'external_auth') ?? {};
  const remarks: Remark[] = [];
  const write = ({ message }: LogRecord): void =>
    void remarks.push({ subject, verdict: 'differs', message, ...place });
  try {
    const log = createLogger('brine', [{ level: LOG_LEVELS.warning, write }]);
    await checkExternalAuth(loadMasterConfig({ configDir, env }), log);
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    remarks.push({ subject, verdict: 'missing', message: error.message, ...place });
  }
  return remarks;
}
