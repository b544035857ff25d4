/**
 * SaltGUI's own browser tests, unmodified, on our API, master and minions. `BRINE_SALTGUI` names a checkout of SaltGUI
 * in which `npm ci` was run, `CHROMIUM` a browser (/usr/bin/chromium). They ask for port 3333 of this machine, which
 * must be free.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Fleet, runProgram } from '../support/fleet.ts';

/** SaltGUI's tests know this address alone. */
const PORT = 3333;
const TEST_MS = 30 * 60_000;
/** Fails with a real Salt as well. */
const FAILS_WITH_SALT = ['Stats Panel should not display stats panel in popup mode'];

const checkout = process.env['BRINE_SALTGUI'] ?? '';
const chromium = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const skip = missing();

function missing(): string | false {
  if (!existsSync(join(checkout, 'tests/functional')))
    return 'did not run: BRINE_SALTGUI names no checkout of SaltGUI';
  if (!existsSync(join(checkout, 'node_modules/.bin/mocha')))
    return `did not run: npm ci was not run in ${checkout}`;
  return existsSync(chromium) ? false : `did not run: no browser in ${chromium}; CHROMIUM can name one`;
}

test('interop - the browser tests of SaltGUI', { skip, timeout: TEST_MS }, async (t) => {
  const fleet = await startSite(t);
  const names = readdirSync(join(checkout, 'tests/functional')).filter((name) => name.endsWith('.js'));
  const passed: string[] = [];
  const failed: string[] = [];
  for (const name of names.sort()) {
    const report = await runFile(fleet, name);
    passed.push(...report.passes.map(({ fullTitle }) => fullTitle));
    for (const { fullTitle, err } of report.failures) {
      if (!FAILS_WITH_SALT.includes(fullTitle)) failed.push(`${fullTitle}: ${err.message ?? ''}`);
      t.diagnostic(`failed: ${fullTitle}: ${err.message ?? ''}`);
    }
  }
  t.diagnostic(`${passed.length} passed`);
  assert.deepEqual(failed, []);
  assert.ok(passed.length > 0);
});

/** A master, three minions and the API, configured as SaltGUI's own tests want them. */
async function startSite(t: TestContext): Promise<Fleet> {
  const fleet = await Fleet.create(t);
  const pam = fleet.path('pam');
  // stands in for the system's accounts: yes to salt with the password salt
  writeFileSync(pam, `#!/bin/sh\n[ "$(tr '\\0' ' ')" = "login salt salt " ]\n`, { mode: 0o755 });
  // a browser that root starts has no sandbox
  writeFileSync(fleet.path('browser'), `#!/bin/sh\nexec ${chromium} --no-sandbox "$@"\n`, { mode: 0o755 });
  fleet.configureMaster([
    'auto_accept: True',
    `api_pidfile: ${fleet.path('api.pid')}`,
    `api_logfile: ${fleet.path('api.log')}`,
    `auth.pam.python: ${pam}`,
    "external_auth: {pam: {salt: ['.*', '@runner', '@wheel', '@jobs']}}",
    'netapi_enable_clients: [local, local_async, runner, wheel]',
    'rest_cherrypy:',
    `  port: ${PORT}`,
    '  host: 127.0.0.1',
    '  disable_ssl: True',
    `  app: ${join(checkout, 'saltgui/index.html')}`,
    `  static: ${join(checkout, 'saltgui/static')}`,
    '  static_path: /static',
    'saltgui_templates:',
    '  template1: {description: First template, target: "*", command: test.fib num=10}',
    '  template2: {description: Second template, targettype: glob, target: "*ubuntu*", command: test.version}',
    '  template3: {description: Empty template}',
    '  template4: {description: Fourth template, targettype: compound, target: "G@os:Ubuntu", command: test.version}',
  ]);
  await fleet.startMaster();
  await Promise.all(['minion1', 'minion2', 'minion3'].map((id) => fleet.joinMinion(id)));
  await fleet.start('salt-api', ['-c', fleet.masterDir, '-l', 'info']).logged('Salt API is starting');
  return fleet;
}

interface Report {
  readonly passes: readonly { readonly fullTitle: string }[];
  readonly failures: readonly { readonly fullTitle: string; readonly err: { readonly message?: string } }[];
}

async function runFile(fleet: Fleet, name: string): Promise<Report> {
  const { stdout, stderr } = await runProgram(
    join(checkout, 'node_modules/.bin/mocha'),
    ['--reporter', 'json', join('tests/functional', name)],
    { cwd: checkout, env: { ...process.env, PUPPETEER_EXECUTABLE_PATH: fleet.path('browser') } },
  );
  const from = stdout.indexOf('{\n  "stats"');
  if (from < 0) throw new Error(`${name} gave no report: ${stdout}${stderr}`);
  return JSON.parse(stdout.slice(from)) as Report;
}
