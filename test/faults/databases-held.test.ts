/** Everybody who works with a database server while it is held or killed. */
import { test } from 'node:test';
import { missingServers } from '../../scripts/database-programs.mjs';
import { checkHeld } from '../support/held-servers.ts';

for (const name of ['mariadb', 'postgres', 'redis'] as const)
  test(
    `faults - ${name} is held or killed in the middle of work: it is named in bounded time, and all go on when it is back`,
    {
      skip: missingServers([name]).length > 0 ? `did not run: ${name} is not installed` : false,
      timeout: 300_000,
    },
    (t) => checkHeld(t, name),
  );
