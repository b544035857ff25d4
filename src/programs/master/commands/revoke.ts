/** `revoke_auth`: a minion gives up its own key (salt/daemons/masterapi.py `revoke_auth`, 3006.16). */
import type { MinionDataCache } from '../../../storage/cache/minion-data.ts';
import type { AesHandler } from '../../../network/channel/door.ts';
import type { SessionKeys } from '../../../network/channel/session-keys.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import { tags } from '../../../network/events/tags.ts';
import type { KeyStore } from '../../../storage/keys/store.ts';
import { dict, type Dict } from '../../../python/values/value.ts';

/** What revoking needs. */
export interface RevokeHandlerDeps {
  readonly opts: MasterOptions;
  readonly keys: KeyStore;
  readonly sessions: SessionKeys;
  readonly cache: MinionDataCache;
  readonly fireEvent: (tag: string, data: Dict) => void;
  readonly requestRotation: (reason: string) => void;
}

/** Serves `revoke_auth`: the sender's own key, and nobody else's. */
export function revokeHandler({
  opts,
  keys,
  sessions,
  cache,
  fireEvent,
  requestRotation,
}: RevokeHandlerDeps): AesHandler {
  return ({ id, load }) => {
    if (!opts.get('allow_minion_key_revoke')) return { value: load };
    keys.remove(id, 'accepted');
    sessions.remove(id);
    if (load.get('preserve_minion_cache') !== true) cache.remove(id);
    fireEvent(tags.key, dict({ result: true, act: 'delete', id }));
    if (opts.get('rotate_aes_key')) requestRotation(`the key of ${id} was revoked`);
    return { value: true };
  };
}
