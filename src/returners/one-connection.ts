/** A connection that is made on first use, given up when it fails, and made anew by the next use. */

/** How a connection is made and ended. */
export interface ConnectionParts<C> {
  open(): Promise<C>;
  close(connection: C): void | Promise<void>;
  /** Whether the other side itself said no, so that the connection is sound. */
  isAnswer(error: unknown): boolean;
}

/** Holds one connection. Nothing is queued or repeated here: who writes keeps what is to be written and tries again. */
export class OneConnection<C> {
  readonly #parts: ConnectionParts<C>;
  #connection: Promise<C> | undefined;

  constructor(parts: ConnectionParts<C>) {
    this.#parts = parts;
  }

  /** Runs something on the connection. @throws what it or making the connection throws */
  async use<T>(run: (connection: C) => Promise<T>): Promise<T> {
    const connection = (this.#connection ??= this.#parts.open());
    try {
      return await run(await connection);
    } catch (error) {
      if (!this.#parts.isAnswer(error) && this.#connection === connection) {
        this.#connection = undefined;
        void this.#end(connection);
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) await this.#end(connection);
  }

  async #end(connection: Promise<C>): Promise<void> {
    try {
      await this.#parts.close(await connection);
    } catch {
      // it was never made, or is broken anyhow
    }
  }
}
