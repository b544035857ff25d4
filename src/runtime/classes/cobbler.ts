/** What Cobbler says of a system (3006.16 salt/pillar/cobbler.py, salt/tops/cobbler.py), over its XML-RPC interface. */
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { rpcAnswer, rpcCall } from '../../formats/xml/rpc.ts';
import type { Clock } from '../../host/clock.ts';
import { sendHttp, urlOption } from '../../network/http/client.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

const DEFAULT_URL = 'http://localhost/cobbler_api';
/** Longer a server may not take: the minion waits. */
const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Asks Cobbler for one system.
 * @param opts `cobbler.url`, `cobbler.user`, `cobbler.password`
 * @throws CommandExecutionError when it cannot be asked, or knows no such system as it says
 */
export async function cobblerSystem(minionId: string, opts: Dict, clock: Clock): Promise<Dict> {
  const url = urlOption(opts.get('cobbler.url') ?? DEFAULT_URL, 'cobbler.url');
  const call = async (method: string, ...args: readonly Value[]): Promise<Value> => {
    const { status, text } = await sendHttp({
      method: 'POST',
      url,
      headers: new Map([['content-type', 'text/xml']]),
      body: rpcCall(method, args),
      timeoutMs: TIMEOUT_MS,
      clock,
      agent: 'salt',
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    if (status !== 200)
      throw new CommandExecutionError(`Cobbler at ${url.host} answered ${status}; see cobbler.url`);
    try {
      return rpcAnswer(text);
    } catch (error) {
      throw new CommandExecutionError(`Cobbler at ${url.host}: ${method}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  };
  const user = opts.get('cobbler.user') ?? null;
  if (truthy(user)) await call('login', user, pyStr(opts.get('cobbler.password') ?? ''));
  const data = await call('get_blended_data', null, minionId);
  if (!isDict(data))
    throw new CommandExecutionError(`Cobbler at ${url.host} gives no mapping for ${minionId}`);
  return data;
}
