/**
 * `presence_events`: tells at each round of housekeeping who is connected, and who has come and gone (salt/master.py,
 * 3006.16).
 */
import { MinionDataCache } from '../../storage/cache/minion-data.ts';
import { MinionFacts } from '../../storage/cache/minion-facts.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import { tags } from '../../network/events/tags.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import { clientOf } from '../../network/ipc/contract.ts';
import { publisher } from '../../network/ipc/contracts/publisher.ts';
import { RpcClient } from '../../network/ipc/rpc-client.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { connectedIds } from './commands/connected.ts';
import type { RoleContext } from './roles/role.ts';

const GIVE_UP_MS = 10_000;

/** Fires `salt/presence/present` and `salt/presence/change` at each round of housekeeping. */
export class PresenceEvents {
  readonly #context: RoleContext;
  readonly #fire: (tag: string, data: Dict) => void;
  readonly #keys: KeyStore;
  readonly #facts: MinionFacts;
  readonly #link: RpcClient;
  #before: ReadonlySet<string> = new Set();
  #isRunning = false;

  constructor(context: RoleContext, fire: (tag: string, data: Dict) => void) {
    const { opts, clock } = context;
    this.#context = context;
    this.#fire = fire;
    this.#keys = new KeyStore(opts.get('pki_dir'), { clock });
    this.#facts = new MinionFacts(new MinionDataCache(opts.get('cachedir')));
    this.#link = new RpcClient({
      path: masterSockets(opts).publishPull,
      clock,
      purpose: 'publisher',
      giveUpMs: GIVE_UP_MS,
    });
  }

  /** One round; none while the one before it still runs. */
  async tell(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      const present = await connectedIds(
        this.#keys,
        this.#facts,
        clientOf(publisher, this.#link),
        this.#context.opts.get('con_cache'),
      );
      const fresh = [...present].filter((id) => !this.#before.has(id));
      const lost = [...this.#before].filter((id) => !present.has(id));
      if (fresh.length + lost.length > 0) this.#fire(tags.presenceChange, dict({ new: fresh, lost }));
      this.#fire(tags.presencePresent, dict({ present: [...present] }));
      this.#before = present;
    } catch (error) {
      this.#context.log.warning('Who is connected could not be told; the next round tries again.', error);
    } finally {
      this.#isRunning = false;
    }
  }

  async close(): Promise<void> {
    await this.#link.close();
  }
}
