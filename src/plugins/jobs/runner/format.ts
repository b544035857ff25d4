/** Jobs as `salt-run jobs.*` shows them (salt/runners/jobs.py, salt/utils/jid.py, 3006.16). */
import { jidTimeText } from '../../../storage/jobs/jid.ts';
import type { StoredReturn } from '../../../storage/jobs/stored-return.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';

const NO_JOB = 'Cannot contact returner or no job with this jid';

/** One job without its returns. @param load undefined for an unknown job */
export function formatJob(jid: string, load: Dict | undefined): Dict {
  const out = load === undefined ? dict({ Error: NO_JOB }) : formatLoad(load);
  const minions = load?.get('Minions');
  if (minions !== undefined) out.set('Minions', minions);
  return out.set('StartTime', jidTimeText(jid));
}

/** One job in a list: nobody asks there whom it was meant for. */
export function formatListed(jid: string, load: Dict): Dict {
  return formatLoad(load).set('StartTime', jidTimeText(jid));
}

function formatLoad(load: Dict): Dict {
  const arg = load.get('arg');
  const out = dict({
    Function: load.get('fun') ?? 'unknown-function',
    Arguments: Array.isArray(arg) ? [...arg] : [],
    Target: load.get('tgt') ?? 'unknown-target',
    'Target-type': load.get('tgt_type') ?? 'list',
    User: load.get('user') ?? 'root',
  });
  const metadata = jobMetadata(load);
  if (metadata !== undefined) out.set('Metadata', metadata);
  return out;
}

/** What `--metadata` gave a job. */
export function jobMetadata(load: Dict): Value | undefined {
  const kwargs = load.get('kwargs');
  return load.get('metadata') ?? (isDict(kwargs) ? kwargs.get('metadata') : undefined);
}

/** The returns of a job, by minion. Salt compat: those of runners have nothing but the return. */
export function formatReturns(returns: readonly StoredReturn[]): Dict {
  return new Map(
    returns.map((ret) => [
      ret.id,
      ret.fun.startsWith('runner.') ? dict({ return: ret.return }) : formatReturn(ret),
    ]),
  );
}

/** Several functions have a code each; the job cache keeps the worst, from which all follow when it is 0. */
function formatReturn({ fun, return: value, retcode, success, out }: StoredReturn): Dict {
  const isSeveral = fun.includes(',') && isDict(value) && retcode === 0 && success;
  if (!isSeveral) return dict({ return: value, retcode, success, out });
  const each = (what: Value): Dict => new Map([...value.keys()].map((name) => [name, what]));
  return new Map<Value, Value>([
    ['return', value],
    ['retcode', each(0)],
    ['success', each(true)],
  ]);
}
