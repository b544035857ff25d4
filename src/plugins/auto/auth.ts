/** `auto`: everybody is who he says; for tests (salt/auth/auto.py, 3006.16). */
import type { BackendSpec } from '../shared/auth/backend.ts';

/** The backend. */
export const autoBackend: BackendSpec = {
  name: 'auto',
  doc: 'Believes everybody; for tests only.',
  make: () => ({ authenticate: () => Promise.resolve(true) }),
};
