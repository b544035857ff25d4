/** The functions that there are, loaded once for each kind. */
import type { FunctionSummary } from '../model/contract.ts';
import type { ListedKind, Server } from '../api/server.ts';

const PAGES_MOST = 20;

/** Keeps the lists. */
export class Catalogue {
  readonly #lists = new Map<ListedKind, Promise<readonly FunctionSummary[]>>();
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  /** All functions of a kind that this user may run somewhere. @throws ApiError */
  list(kind: ListedKind): Promise<readonly FunctionSummary[]> {
    const known = this.#lists.get(kind);
    if (known !== undefined) return known;
    const list = this.#load(kind);
    this.#lists.set(kind, list);
    // the next one who asks tries again
    list.catch(() => this.#lists.delete(kind));
    return list;
  }

  async #load(kind: ListedKind): Promise<readonly FunctionSummary[]> {
    const out: FunctionSummary[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MOST; page++) {
      const { items, next } = await this.#server.functions(kind, { limit: '1000', cursor });
      out.push(...items);
      if (next === null) break;
      cursor = next;
    }
    return out.filter(({ allowed }) => allowed);
  }
}
