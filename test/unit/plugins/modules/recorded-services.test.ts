/**
 * Modules and states that speak with a service over HTTP: the same is sent, and the same comes of it, as with a real
 * Salt 3006.16.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pyStr } from '../../../../src/python/values/repr.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { playCase, recordedCases } from '../../../support/recorded-services.ts';

/** The options that say where a service is; `URL` and `HOST` stand for the place. */
const SERVICES: Readonly<Record<string, Dict>> = {
  consul: dict({ 'consul.url': 'URL', 'consul.token': 'TOKEN' }),
  grafana4: dict({ grafana: dict({ grafana_url: 'URL', grafana_token: 'TOKEN' }) }),
  elasticsearch: dict({ elasticsearch: dict({ hosts: ['HOST'], username: 'u', password: 'p' }) }),
};

for (const [name, conf] of Object.entries(SERVICES)) {
  const cases = recordedCases(name);
  for (const call of new Set(cases.map((one) => pyStr(one.get('call') ?? ''))))
    test(`recorded services - ${call}`, async (t) => {
      const wrong: string[] = [];
      for (const one of cases) if (one.get('call') === call) wrong.push(...(await playCase(t, one, conf)));
      assert.equal(wrong.join('\n'), '');
    });
}

test('recorded services - each case that differs says why', () => {
  const silent = Object.keys(SERVICES)
    .flatMap(recordedCases)
    .filter((one) => one.has('ours') && !one.has('because'));
  assert.deepEqual(silent, []);
});
