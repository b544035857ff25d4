/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { BackendSpec } from '../../shared/auth/backend.ts';
import { autoBackend } from '../../auto/auth.ts';
import { fileBackend } from '../../password-file/auth.ts';
import { ldapBackend } from '../../ldap/auth.ts';
import { mysqlBackend } from '../../mysql/auth.ts';
import { oidcBackend } from '../../oidc/auth.ts';
import { pamBackend } from '../../pam/auth.ts';
import { postgresBackend } from '../../postgres/auth.ts';
import { restBackend } from '../../rest/auth.ts';
import { sharedSecretBackend } from '../../sharedsecret/auth.ts';

/** The authentication systems, by the name that `external_auth` has for them. */
export const AUTH_BACKENDS: ReadonlyMap<string, BackendSpec> = new Map(
  [
    autoBackend,
    fileBackend,
    ldapBackend,
    mysqlBackend,
    oidcBackend,
    pamBackend,
    postgresBackend,
    restBackend,
    sharedSecretBackend,
  ].map((spec) => [spec.name, spec]),
);
