/** What Brine does with an option of Salt's that it does not serve. The tables of options say it of each of them. */

/** The programs that read a configuration. */
export type Program =
  | 'salt-master'
  | 'salt-minion'
  | 'salt-syndic'
  | 'salt-api'
  | 'salt-call'
  | 'salt-run'
  | 'salt'
  | 'salt-key'
  | 'salt-cp';

/** Why an option does nothing, and what a program does that is given it. */
export interface Unserved {
  /**
   * `warn`: one line at the start. `stop`: the program does not start, because without the option minions would get
   * something else than what was configured, or would be protected less.
   */
  readonly action: 'warn' | 'stop';
  /** True when Brine is to serve it one day; false when it has no meaning here. */
  readonly isPlanned: boolean;
  /** What is missing, or why it is not needed; no full stop. */
  readonly why: string;
  /** True when it also concerns `salt-run` and `salt-call`, which compile pillar and states themselves. */
  readonly concernsCommands: boolean;
}

/** For an option without meaning in Brine. @param why the reason */
export function noEffect(why: string): Unserved {
  return { action: 'warn', isPlanned: false, why, concernsCommands: false };
}

/** For an option whose loss is seen where it is missed. @param why what is missing */
export function notYet(why: string): Unserved {
  return { action: 'warn', isPlanned: true, why, concernsCommands: false };
}

/** For an option whose loss would harm. @param why what would happen without it */
export function stops(why: string): Unserved {
  return { action: 'stop', isPlanned: true, why, concernsCommands: true };
}
