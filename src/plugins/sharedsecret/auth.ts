/** `sharedsecret`: one password for all names (salt/auth/sharedsecret.py, 3006.16). */
import { isSameText } from '../shared/auth/same-text.ts';
import type { BackendContext, BackendSpec } from '../shared/auth/backend.ts';

/** The backend. */
export const sharedSecretBackend: BackendSpec = {
  name: 'sharedsecret',
  doc: 'One password for all names: the option `sharedsecret`.',
  // Salt compat: Salt without the option lets everybody in who sends no password at all
  fault: (context) => (secretOf(context) === '' ? 'the option sharedsecret is not set' : undefined),
  make: (context) => ({
    authenticate: ({ password }) => {
      const secret = secretOf(context);
      return Promise.resolve(secret !== '' && isSameText(password.reveal(), secret));
    },
  }),
};

function secretOf({ opts }: BackendContext): string {
  const secret = opts.get('sharedsecret');
  return typeof secret === 'string' ? secret : '';
}
