/** The authentication systems that there are, by the name that `external_auth` has for them. */
import { autoBackend } from './auto.ts';
import type { BackendSpec } from './backend.ts';
import { fileBackend } from './file.ts';
import { ldapBackend } from './ldap.ts';
import { mysqlBackend } from './mysql.ts';
import { oidcBackend } from './oidc.ts';
import { pamBackend } from './pam.ts';
import { postgresBackend } from './postgres.ts';
import { restBackend } from './rest.ts';
import { sharedSecretBackend } from './sharedsecret.ts';

/** Each with its name. */
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
