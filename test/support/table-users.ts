/** Log-ins by tables of databases. */
import assert from 'node:assert/strict';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { Secret } from '../../src/host/secret.ts';
import type { AuthBackend, BackendSpec } from '../../src/plugins/shared/auth/backend.ts';
import { dict, type DictInit } from '../../src/python/values/value.ts';

/** A backend with the option that it reads. */
export function made(spec: BackendSpec, option: string, settings: DictInit): AuthBackend {
  const opts = dict({ [option]: dict(settings) });
  const context = { opts, config: new Map(), clock: systemClock, log: silentLogger };
  assert.equal(spec.fault?.(context), undefined);
  return spec.make(context);
}

/** Who is let in, and who is not: names and passwords are values, whatever stands in them. */
export async function checkUsers(backend: AuthBackend): Promise<void> {
  const isIn = (username: string, password: string): Promise<boolean> =>
    backend.authenticate({ username, password: new Secret(password) });
  assert.equal(await isIn('diana', 'secret'), true);
  assert.equal(await isIn("o'neil", 'a "quoted" \\ one'), true);
  for (const [name, password] of [
    ['diana', 'wrong'],
    ['nobody', 'secret'],
    ['DIANA', 'secret'],
    ['diana ', 'secret'],
    ['diana" OR "1"="1', 'x'],
    ["diana' OR '1'='1", 'x'],
    ['diana" -- ', 'x'],
    ['x', '" OR username = "diana" -- '],
    ['x', "', 256) OR username = 'diana' -- "],
    ['%', 'secret'],
  ] as const)
    assert.equal(await isIn(name, password), false, `${name} ${password}`);
}
