/**
 * Who has logged in. A session that ends leaves the page as it is and asks for the password over it, so that one goes
 * on where one was.
 */
import { signal } from '@preact/signals';
import type { LoginForm, Me } from '../model/contract.ts';
import { mayCallSome } from '../model/rights.ts';
import { ApiError } from '../api/http.ts';
import type { Server } from '../api/server.ts';

/** How far it is. `over` is a session that has ended while somebody was working. */
export type SessionPhase = 'starting' | 'away' | 'login' | 'ready' | 'over';

/** Operations that an API without them has the console make out of calls, and of which kind these are. */
const MADE_OF: ReadonlyMap<string, 'runner' | 'wheel'> = new Map([
  ['orchestrations.list', 'runner'],
  ['orchestrations.start', 'runner'],
  ['states.files', 'runner'],
  ['states.drift', 'runner'],
  ['tokens.list', 'runner'],
  ['tokens.revoke', 'runner'],
  ['roles.list', 'wheel'],
]);

/** Follows it. */
export class Session {
  readonly phase = signal<SessionPhase>('starting');
  readonly me = signal<Me | undefined>(undefined);
  /** Goes up with each log-in: streams begin anew. */
  readonly logins = signal(0);
  readonly #server: () => Server;

  constructor(server: () => Server) {
    this.#server = server;
  }

  /** Finds out whether the browser has a session already. */
  async begin(): Promise<void> {
    try {
      this.#ready(await this.#server().me());
    } catch (error) {
      this.phase.value = error instanceof ApiError && error.status === 401 ? 'login' : 'away';
    }
  }

  /** @throws ApiError when the log-in fails */
  async logIn(credentials: LoginForm): Promise<void> {
    const before = this.me.peek()?.user;
    const me = await this.#server().logIn(credentials);
    // somebody else must not see what the one before him has looked at
    if (before !== undefined && before !== me.user) return location.reload();
    this.#ready(me);
  }

  async logOut(): Promise<void> {
    await this.#server()
      .logOut()
      .catch(() => undefined);
    location.reload();
  }

  /** The API has said that there is no session. */
  expired(): void {
    if (this.phase.peek() === 'ready') this.phase.value = 'over';
  }

  /** Whether an operation of the API is worth offering. */
  can(operation: string): boolean {
    const me = this.me.value;
    if (me === undefined) return false;
    if (Object.hasOwn(me.can, operation)) return me.full || me.can[operation] === true;
    const rules = me.rules.map(({ rule }) => rule);
    const by = MADE_OF.get(operation);
    return by !== undefined && (me.full || mayCallSome(by, rules));
  }

  #ready(me: Me): void {
    this.me.value = me;
    this.phase.value = 'ready';
    this.logins.value++;
  }
}
