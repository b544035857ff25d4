/**
 * What can go wrong when a local program asks the master for something; each message is Salt's own where Salt has one.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';

/** A job could not be published. Salt compat: `salt` prints the text on standard output and ends with 0. */
export class ClientError extends BrineError {
  static override readonly errorCode: ErrorCode = 'publication-refused';
  override readonly name: string = 'ClientError';
}

/** The master's sockets are not there, or nobody answers on the request port. */
export class MasterDownError extends ClientError {
  static override readonly errorCode: ErrorCode = 'master-not-reachable';
  override readonly name = 'MasterDownError';
}

/** The master does not know us, or does not allow us what we ask for. */
export class NotAuthorisedError extends ClientError {
  static override readonly errorCode: ErrorCode = 'not-authorised';
  override readonly name = 'NotAuthorisedError';
}

/**
 * What the master offers to its own user is closed to the one who runs the program; the message says where, and what
 * opens it.
 */
export class ClosedToUserError extends NotAuthorisedError {}

/** The target matched nobody. */
export class NoMinionsError extends ClientError {
  static override readonly errorCode: ErrorCode = 'target-without-minions';
  override readonly name = 'NoMinionsError';
  override readonly exitCode = 2;
  /** What is wrong with the target, and where, when it could not be understood. */
  readonly fault: string | undefined;

  constructor(message: string, fault?: string) {
    super(message, fault === undefined ? {} : { code: 'target-invalid' });
    this.fault = fault;
  }
}

/** Texts that Salt's users know (salt/cli/salt.py, 3006.16). */
export const CLIENT_TEXTS = {
  masterDown: 'The salt master could not be contacted. Is master running?',
  noAnswer:
    'Salt request timed out. The master is not responding. You may need to run your command with `--async` in order to bypass the congested event bus. ' +
    'With `--async`, the CLI tool will print the job id (jid) and exit immediately without listening for responses. ' +
    'You can then use `salt-run jobs.lookup_jid` to look up the results of the job in the job cache later.',
  authentication:
    'Failed to authenticate! This is most likely because this user is not permitted to execute commands, ' +
    'but there is a small possibility that a disk error occurred (check disk/inode usage).',
  noMinions: 'No minions matched the target. No command was sent, no jid was assigned.',
} as const;
