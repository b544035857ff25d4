/** Rights that an operation takes, as far as they can be told without its arguments. */

/** A function of the master that somebody must be allowed to call. */
export interface Need {
  readonly client: 'runner' | 'wheel';
  readonly fun: string;
}

/**
 * An operation, and the right by which it is offered: without one to everybody, `some job` to whoever may run anything
 * on minions.
 */
export interface Operation {
  readonly id: string;
  readonly offered: Need | 'some job' | undefined;
}
