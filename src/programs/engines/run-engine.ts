/** An engine from its configuration to its end, in the process that is its own. */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict } from '../../python/values/value.ts';
import { bindCall } from '../../runtime/loader/bind.ts';
import { EngineRefusal, type EngineContext, type EngineSpec } from '../../plugins/shared/engine/engine.ts';
import { GIVE_UP_STATUS } from '../daemon/supervisor.ts';
import type { ConfiguredEngine } from './engine-list.ts';
import { findEngine } from './find-engine.ts';

/** A running engine. */
export interface RunningEngine {
  /** The status that its process is to end with; resolves when the engine has come to its end. */
  readonly ended: Promise<number>;
}

/**
 * Starts an engine. What it cannot do as it is configured is one line in the log, and the status by which it is not
 * started again; an end that nobody asked for is told, too, and is followed by another start.
 */
export function runEngine(configured: ConfiguredEngine, context: EngineContext): RunningEngine {
  return { ended: work(configured, context) };
}

async function work(configured: ConfiguredEngine, context: EngineContext): Promise<number> {
  const { title } = configured;
  const { log, signal } = context;
  try {
    const spec = await findEngine(configured, context);
    const options = boundOptions(spec, configured.options, context.role);
    log.info(`Starting ${title}`);
    await spec.start(context, options);
    if (!signal.aborted) log.warning(`${title} has ended by itself and is started again.`);
    return 0;
  } catch (error) {
    return told(title, error, log);
  }
}

function told(title: string, error: unknown, log: Logger): number {
  if (error instanceof EngineRefusal) {
    log.error(
      `${title} is not started: ${error.message}${error.message.endsWith('?') || error.message.endsWith('.') ? '' : '.'}`,
    );
    return GIVE_UP_STATUS;
  }
  log.critical(`${title} failed and is started again: ${messageOf(error)}`, error);
  return 1;
}

/** The options as the engine's parameters bind them. @throws EngineRefusal naming the option that does not fit */
export function boundOptions(
  spec: EngineSpec,
  given: Dict,
  role: EngineContext['role'],
): ReturnType<typeof bindCall>['args'] {
  if (spec.runsOn !== undefined && spec.runsOn !== role)
    throw new EngineRefusal(`it runs beside a ${spec.runsOn} only`);
  const { params } = spec;
  if (params === undefined) return Object.fromEntries([...given].map(([key, value]) => [pyStr(key), value]));
  refuseUnknown(given, Object.keys(params));
  for (const [name, { default: fallback }] of Object.entries(params))
    if (fallback === undefined && !given.has(name)) throw new EngineRefusal(`it needs the option ${name}`);
  try {
    return bindCall('start', { doc: '', returns: '', params }, { positional: [], keywords: given }).args;
  } catch (error) {
    throw new EngineRefusal(messageOf(error), { cause: error });
  }
}

function refuseUnknown(given: Dict, known: readonly string[]): void {
  for (const key of given.keys())
    if (typeof key !== 'string' || !known.includes(key))
      throw new EngineRefusal(
        `it has no option ${pyStr(key)}.${didYouMean(pyStr(key), known)}${known.length === 0 ? ' It has none at all.' : ` It has ${known.join(', ')}.`}`,
      );
}
