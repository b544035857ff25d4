/**
 * Returns that minions have signed: `require_minion_sign_messages`, `drop_messages_signature_fail` (salt/master.py
 * `_return`, 3006.16).
 */
import type { AesHandler } from '../../../network/channel/door.ts';
import { checkMessage } from '../../../network/channel/message-signature.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import type { RsaPublicKey } from '../../../network/crypto/rsa.ts';
import type { Logger } from '../../../host/log.ts';
import { countedWarnings } from '../counted-log.ts';

/** What checking needs. */
export interface SignedOnlyDeps {
  readonly opts: MasterOptions;
  /** The accepted key of a minion. */
  readonly keyOf: (id: string) => RsaPublicKey | undefined;
  readonly log: Logger;
}

/**
 * A handler of returns that sees only those whose signature is as the options want it. The others are answered with
 * False, as by Salt.
 */
export function signedOnly({ opts, keyOf, log }: SignedOnlyDeps, handler: AesHandler): AesHandler {
  const mustSign = opts.get('require_minion_sign_messages');
  const dropsWrong = opts.get('drop_messages_signature_fail');
  const warn = countedWarnings(log);
  return (request) => {
    const state = checkMessage(request.load, keyOf(request.id));
    if (state === 'missing' && mustSign) {
      warn(
        `A return of ${request.id} was dropped: it is not signed, and require_minion_sign_messages demands that. ` +
          'Set minion_sign_messages in the configuration of the minion',
      );
      return { value: false };
    }
    if (state === 'wrong' && dropsWrong) {
      warn(
        `A return of ${request.id} was dropped: its signature does not fit (drop_messages_signature_fail)`,
      );
      return { value: false };
    }
    if (state === 'wrong')
      log.info(`The signature of a return of ${request.id} does not fit; it is taken all the same.`);
    return handler(request);
  };
}
