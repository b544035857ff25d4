/** A connection that is made on first use, given up when it fails, and made anew by the next use. */

/** How a connection is made and ended. */
export interface OneConnectionDeps<C> {
  open(): Promise<C>;
  close(connection: C): void | Promise<void>;
  /** Whether the connection still stands; one that was cut while nobody used it is made anew. */
  isOpen(connection: C): boolean;
  /** Whether the other side itself said no, so that the connection is sound. */
  isAnswer(error: unknown): boolean;
}

interface Making<C> {
  readonly made: Promise<C>;
  /** What came of it. */
  connection: C | undefined;
}

/** Holds one connection. Nothing is queued or repeated here: who writes keeps what is to be written and tries again. */
export class OneConnection<C> {
  readonly #deps: OneConnectionDeps<C>;
  #connection: Making<C> | undefined;

  constructor(deps: OneConnectionDeps<C>) {
    this.#deps = deps;
  }

  /** Runs something on the connection. @throws what it or making the connection throws */
  async use<T>(run: (connection: C) => Promise<T>): Promise<T> {
    const connection = await this.#made();
    try {
      return await run(connection);
    } catch (error) {
      if (!this.#deps.isAnswer(error)) this.#drop(connection);
      throw error;
    }
  }

  /** The connection that stands, or a new one. */
  async #made(): Promise<C> {
    const known = this.#connection;
    if (known !== undefined) {
      const connection = await known.made;
      if (this.#deps.isOpen(connection)) return connection;
      this.#drop(connection);
    }
    const making: Making<C> = (this.#connection ??= { made: this.#deps.open(), connection: undefined });
    try {
      making.connection = await making.made;
      return making.connection;
    } catch (error) {
      if (this.#connection === making) this.#connection = undefined;
      throw error;
    }
  }

  #drop(connection: C): void {
    if (this.#connection?.connection !== connection) return;
    const { made } = this.#connection;
    this.#connection = undefined;
    void this.#end(made);
  }

  async close(): Promise<void> {
    const making = this.#connection;
    this.#connection = undefined;
    if (making !== undefined) await this.#end(making.made);
  }

  async #end(connection: Promise<C>): Promise<void> {
    try {
      await this.#deps.close(await connection);
    } catch {
      // it was never made, or is broken anyhow
    }
  }
}
