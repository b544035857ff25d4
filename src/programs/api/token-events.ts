/** Events that bring a token: it is for whoever had it made, and all others who listen through the API see stars. */
import { isDict, type Dict } from '../../python/values/value.ts';
import type { BusEvent } from '../../network/events/framing.ts';

const TOKEN_FUNCTION = 'runner.auth.mk_token';
const STARS = '***';

/** The data of an event, as readers may see them. */
export function withoutToken({ tag, data }: Pick<BusEvent, 'tag' | 'data'>): Dict {
  const isToken =
    tag.startsWith('salt/run/') && data.get('fun') === TOKEN_FUNCTION && isDict(data.get('return'));
  return isToken ? new Map([...data, ['return', STARS]]) : data;
}
